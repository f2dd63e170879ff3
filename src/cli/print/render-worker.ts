// A thread that renders parts of a large session, in turns with the thread that prints them. It begins while the rest of
// the session is still being cut into parts.
import { agents } from '../../agents/index.ts'
import type { PartPlan, PlannedFile, PlannedPart } from '../../agents/parts.ts'
import { storeOf } from '../../agents/store.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Claims } from '../../repair/scan/part-claims.ts'
import { claimPart, waitForPlace } from '../../repair/scan/part-claims.ts'
import type { CallTools } from '../../threads/calls.ts'
import { serveCalls } from '../../threads/serve.ts'
import type { RenderedPart } from './rendered-part.ts'
import { renderPart } from './rendered-part.ts'
import { tuneThreads } from './tune-threads.ts'

export interface RenderOrder {
  session: SessionRef
  /** The messages are kept as they are printed. */
  isKept: boolean
  claims: Claims
  /** Used in turns. */
  memory: SharedArrayBuffer[]
}

export interface PartFromThread {
  number: number
  /** The place of its memory among those of the order. */
  place: number
  /** Undefined if the caller has to render it. */
  rendered: RenderedPart | undefined
}

export interface AddedPart {
  file: PlannedFile
  part: PlannedPart
}

/** The parts that were cut so far. */
let plan: PartPlan | undefined
let isPlanned = false
let onMore = (): void => {}

const calls = {
  /** Called before the part can be claimed. */
  add: async ({ file, part }: AddedPart): Promise<void> => {
    plan ??= { ...file, parts: [] }
    plan.parts.push(part)
    onMore()
  },
  /** No part is added any more. */
  planned: async (_: undefined): Promise<void> => {
    isPlanned = true
    onMore()
  },
  render: async ({ session, isKept, claims, memory }: RenderOrder, tools: CallTools<PartFromThread>): Promise<void> => {
    const parts = await partsOf(session)
    if (parts === undefined) return
    tuneThreads()
    for (let turn = 0; ; turn++) {
      const place = turn % memory.length
      const room = memory[place]
      if (room === undefined) break
      waitForPlace(claims, place)
      const claimed = await claim(claims)
      if (claimed === undefined) break
      const { number, plan } = claimed
      const rendered = renderPart(parts, session, plan, number, { memory: room, isKept })
      tools.progress({ number, place, rendered })
    }
    if (plan !== undefined) parts.close?.(plan)
  },
}

/** Undefined if there is nothing left. */
async function claim(claims: Claims): Promise<{ number: number; plan: PartPlan } | undefined> {
  let number = claimPart(claims)
  for (; number === undefined && !isPlanned; number = claimPart(claims)) await more()
  if (number === undefined) return undefined
  while (plan === undefined || plan.parts.length <= number) await more()
  return { number, plan }
}

async function more(): Promise<void> {
  await new Promise<void>(resolve => (onMore = resolve))
}

async function partsOf(session: SessionRef) {
  const agent = agents.find(({ id }) => id === session.agent)
  return agent === undefined ? undefined : await storeOf(agent, session).parts?.()
}

export type RenderCalls = typeof calls

serveCalls(calls)
