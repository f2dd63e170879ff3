// Readings in parts, compared with readings of the whole.
import { expect, onTestFinished } from 'vitest'
import type { PartPlan, PartSizes, StoreParts } from '../../src/agents/parts.ts'
import type { Store } from '../../src/agents/store.ts'
import { messageText } from '../../src/cli/print/rendered-part.ts'
import { RethreadError } from '../../src/model/errors.ts'
import type { Reading, ReadingEnd } from '../../src/model/reading.ts'
import type { SessionRef } from '../../src/model/session.ts'

export function randomSizes(random: () => number): PartSizes {
  return {
    part: 1 + Math.floor(random() * 20_000),
    warmUp: Math.floor(random() * 4000),
    warmUpLines: 1 + Math.floor(random() * 8),
  }
}

/** So little before a part that its reader cannot know its state. */
export const TOO_SHORT: PartSizes = { part: 200, warmUp: 0, warmUpLines: 1 }

export interface Outcome {
  messages: string[]
  end: object | undefined
  /** How many parts had to be read again from the true state. */
  again: number
}

/** All parts in reverse, then what is not right again. Undefined if the session has to be read in one. */
export function readInParts(parts: StoreParts, session: SessionRef, sizes: PartSizes): Outcome | undefined {
  const plan = planParts(parts, session, sizes)
  return plan && readPlanned(parts, session, plan)
}

/** What it keeps open is closed with the test. */
export function planParts(parts: StoreParts, session: SessionRef, sizes?: PartSizes): PartPlan | undefined {
  const plan = parts.plan(session, sizes)
  if (plan !== undefined) onTestFinished(() => parts.close?.(plan))
  return plan
}

function readPlanned(parts: StoreParts, session: SessionRef, plan: PartPlan): Outcome {
  const plain = structuredClone(plan)
  const joiner = parts.join(session, plan)
  const outcome: Outcome = { messages: [], end: undefined, again: 0 }
  try {
    const read = plain.parts.map((_, at) => at).toReversed()
    const ahead = new Map(read.map(part => [part, structuredClone(run(parts.read(session, plain, part)))]))
    for (const part of plan.parts.keys()) {
      const first = ahead.get(part)
      const isRight = first?.end !== undefined && joiner.accepts(first.end)
      if (!isRight) outcome.again++
      const { messages, end } = isRight ? first : run(parts.read(session, plan, part, joiner.state()))
      outcome.messages.push(...messages)
      if (end === undefined || !joiner.add(end)) return outcome
    }
    return { ...outcome, end: joiner.end() }
  } finally {
    joiner.close()
    for (const used of [plan, plain]) parts.close?.(used)
  }
}

function run(reading: ReturnType<StoreParts['read']>) {
  const messages: string[] = []
  let step = reading.next()
  for (; !step.done; step = reading.next()) messages.push(messageText(step.value))
  return { messages, end: step.value }
}

/** Every message as often as it is given. */
async function readInOne(reading: Reading): Promise<{ messages: string[]; end: ReadingEnd }> {
  const messages: string[] = []
  let step = await reading.next()
  for (; !step.done; step = await reading.next()) messages.push(messageText(step.value))
  return { messages, end: step.value }
}

/** Reads the session in parts and in one. Undefined if it has to be read in one. */
export async function comparePartsOf(
  store: Store,
  session: SessionRef,
  sizes: PartSizes,
): Promise<Outcome | undefined> {
  const parts = await store.parts?.()
  if (parts === undefined) throw new Error('The store does not read in parts.')
  let one: { messages: string[]; end: ReadingEnd }
  try {
    one = await readInOne(store.read(session, { isOnce: true }))
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
  const outcome = readInParts(parts, session, sizes)
  if (outcome === undefined) return undefined
  const { checkpoint: _, ...end } = one.end
  const expected = one.messages
  expect(outcome.messages).toEqual(expected.slice(0, outcome.messages.length))
  if (outcome.end === undefined) return outcome
  expect(outcome.messages).toHaveLength(expected.length)
  expect(sorted(outcome.end)).toBe(sorted(end))
  return outcome
}

export function sorted(end: object): string {
  return JSON.stringify(end, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
}
