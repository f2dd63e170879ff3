// A thread that renders parts of a large session, in turns with the thread that prints them.
import { agents } from '../../agents/index.ts'
import type { PartPlan } from '../../agents/parts.ts'
import { storeOf } from '../../agents/store.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Claims } from '../../repair/scan/part-claims.ts'
import { claimPart, waitForRoom } from '../../repair/scan/part-claims.ts'
import type { CallTools } from '../../threads/calls.ts'
import { serveCalls } from '../../threads/serve.ts'
import type { RenderedPart } from './rendered-part.ts'
import { renderPart } from './rendered-part.ts'

export interface RenderOrder {
  session: SessionRef
  plan: PartPlan
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

const calls = {
  /** Loads what the store needs, ahead of the first part. */
  prepare: async (session: SessionRef): Promise<void> => void (await partsOf(session)),
  render: async ({ session, plan, claims, memory }: RenderOrder, tools: CallTools<PartFromThread>): Promise<void> => {
    const parts = await partsOf(session)
    if (parts === undefined) return
    for (let turn = 0; ; turn++) {
      const place = turn % memory.length
      const room = memory[place]
      if (room === undefined || !waitForRoom(claims, place)) return
      const number = claimPart(claims)
      if (number === undefined) return
      tools.progress({ number, place, rendered: renderPart(parts, session, plan, number, room) })
    }
  },
}

async function partsOf(session: SessionRef) {
  const agent = agents.find(({ id }) => id === session.agent)
  return agent === undefined ? undefined : await storeOf(agent, session).parts?.()
}

export type RenderCalls = typeof calls

serveCalls(calls)
