// Tiny journals written by hand, and journals of real agents (test/real/golden/record.ts records them), and what they are projected to, byte for byte.
// RETHREAD_TEST_GOLDEN=write stores the current output: check the difference.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { envelopeOf } from '../../../test/support/journal/conversation-samples.ts'
import { everythingIn, type Projected, project, SESSION } from '../../../test/support/opencode/projection-samples.ts'
import type { Envelope, JournalEvent, JournalSession } from '../../journal/store/store.ts'
import { SessionView } from './session-view.ts'

const FOLDER = new URL('./golden/', import.meta.url)
const ENDING = '.journal.jsonl'
const isWriting = process.env['RETHREAD_TEST_GOLDEN'] === 'write'

const sender = z.enum(['client', 'agent'])
const line = z.object({ sender, message: z.unknown() })
const recordedSession = z.object({
  id: z.string(),
  agent: z.string(),
  agentSessionId: z.string(),
  lastConnectionId: z.string(),
  cwd: z.string(),
  createdAt: z.number(),
})
const recordedLine = z.object({
  seq: z.number(),
  createdAt: z.number(),
  connectionId: z.string(),
  sender,
  kind: z.string(),
  payload: z.unknown(),
})

const entries = readdirSync(FOLDER, { withFileTypes: true })
const names = entries.flatMap(({ name }) => (name.endsWith(ENDING) ? [name.slice(0, -ENDING.length)] : []))
const recorded = entries.flatMap(entry => (entry.isDirectory() ? [entry.name] : []))

test.each(names)('the journal "%s" gives the view and the events that it gave before', name => {
  const journal = linesIn(`${name}${ENDING}`).map((text): Envelope => {
    const { sender, message } = line.parse(JSON.parse(text))
    return envelopeOf(sender, message)
  })
  const projected = project(journal)
  compare(`${name}.events.jsonl`, linesOf(projected.events))
  compare(`${name}.view.jsonl`, linesOf(describe(projected)))
})

test.each(recorded)('the recorded journal of %s gives the view and the events that it gave before', name => {
  const { session, journal } = readRecorded(name)
  const projected = projectInPieces(session, journal, journal.length)
  compare(`${name}/expected.events.jsonl`, linesOf(projected.events))
  compare(`${name}/expected.view.jsonl`, linesOf(describe(projected)))
})

test.each(recorded)('the recorded journal of %s gives the same wherever it is cut in two', name => {
  const { session, journal } = readRecorded(name)
  const whole = projectInPieces(session, journal, journal.length)
  for (const cut of journal.keys()) {
    const pieces = projectInPieces(session, journal, cut)
    expect(linesOf(pieces.events), `cut after ${cut}`).toBe(linesOf(whole.events))
    expect(linesOf(describe(pieces)), `cut after ${cut}`).toBe(linesOf(describe(whole)))
  }
})

/** Read in between. */
function projectInPieces(session: JournalSession, journal: readonly JournalEvent[], cut: number): Projected {
  const view = new SessionView(session, {})
  const first = journal.slice(0, cut).flatMap(event => view.apply(event))
  everythingIn(view)
  return { view, events: [...first, ...journal.slice(cut).flatMap(event => view.apply(event))] }
}

function readRecorded(name: string): { session: JournalSession; journal: JournalEvent[] } {
  const row = recordedSession.parse(JSON.parse(readFileSync(new URL(`${name}/session.json`, FOLDER), 'utf8')))
  const journal = linesIn(`${name}/events.jsonl`).map((text): JournalEvent => {
    const { payload: envelope, ...event } = recordedLine.parse(JSON.parse(text))
    const payload = Buffer.from(JSON.stringify(envelope))
    return { ...event, sessionId: row.id, id: `e${event.seq}`, payload, envelope }
  })
  return { session: { ...SESSION, ...row }, journal }
}

function linesIn(name: string): string[] {
  return readFileSync(new URL(name, FOLDER), 'utf8').trimEnd().split('\n')
}

/** One line for each thing, so that a difference can be read. */
function describe({ view }: Projected): unknown[] {
  return Object.entries(everythingIn(view) as object).flatMap(([name, value]) =>
    name === 'messages' ? view.messages().flatMap(({ info, parts }) => [info, ...parts]) : [{ [name]: value }],
  )
}

function linesOf(values: readonly unknown[]): string {
  return values.map(value => `${JSON.stringify(value)}\n`).join('')
}

function compare(name: string, text: string): void {
  const file = new URL(name, FOLDER)
  if (isWriting) writeFileSync(file, text)
  expect(text).toBe(readFileSync(file, 'utf8'))
}
