// A journal with one long session in it, as a hundred long turns leave it.

import { openJournal } from '../../src/journal/store/open.ts'
import type { Envelope } from '../../src/journal/store/store.ts'
import { answered, chunk, prompt, toolUpdate } from './journal/conversation-samples.ts'
import { sampleSession } from './journal/samples.ts'

export const LONG_SESSION = 'ses_long'
const PER_TURN = 100

/** `events`: of whole turns. */
export async function writeLongSession(journal: string, events: number): Promise<void> {
  const store = await openJournal(journal)
  await store.createSession({ ...sampleSession(LONG_SESSION), agentSessionId: 'agent' })
  for (let turn = 1; turn * PER_TURN <= events; turn++) await store.append(LONG_SESSION, turnOf(turn))
  await store.close()
}

export function messagesIn(events: number): number {
  return (events / PER_TURN) * 2
}

function turnOf(turn: number): Envelope[] {
  const between = Array.from({ length: PER_TURN - 2 }, (_, n) =>
    n % 10 === 5
      ? toolUpdate(`t${turn}-${n}`, { status: 'completed', rawOutput: 'some output '.repeat(50) })
      : chunk('some words of an answer '),
  )
  return [prompt(turn, `Prompt ${turn}`), ...between, answered(turn)]
}
