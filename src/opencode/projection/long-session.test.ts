// A session of a hundred thousand events: the memory for it is limited.
import { expect, test } from 'vitest'
import { answered, chunk, prompt, toolUpdate } from '../../../test/support/journal/conversation-samples.ts'
import { SESSION } from '../../../test/support/opencode/projection-samples.ts'
import type { Envelope, EventPage, JournalEvent, JournalStore } from '../../journal/store/store.ts'
import { Views } from './views.ts'

const TOTAL = 100_000
const PER_TURN = 100
const MAX_BYTES = 1024 * 1024

const OUTPUT = 'output '.repeat(100)
const CHUNK = chunk('some words ')
const TOOL = toolUpdate('t1', { status: 'completed', rawOutput: OUTPUT })
/** Parsed once: most events are one of these. */
const PARSED = new Map([CHUNK, TOOL].map(envelope => [envelope, parse(envelope)]))

/** Turns of one prompt, many pieces and tools, and one response. */
function envelopeAt(seq: number): Envelope {
  const turn = Math.ceil(seq / PER_TURN)
  if (seq % PER_TURN === 1) return prompt(turn, `Prompt ${turn}`)
  if (seq % PER_TURN === 0) return answered(turn)
  return seq % 10 === 5 ? TOOL : CHUNK
}

function parse(envelope: Envelope): unknown {
  return JSON.parse(envelope.payload.toString())
}

function eventAt(seq: number): JournalEvent {
  const made = envelopeAt(seq)
  return { ...made, sessionId: 's', seq, id: `e${seq}`, createdAt: seq, envelope: PARSED.get(made) ?? parse(made) }
}

/** Makes each page when it is asked for: no journal of this size has to be written for the test. */
function pageAfter(after: number, limit: number): EventPage {
  const lastSeq = Math.min(TOTAL, after + limit)
  const events = Array.from({ length: lastSeq - after }, (_, at) => eventAt(after + at + 1))
  return { events, skipped: [], firstSeq: after + 1, lastSeq, total: TOTAL }
}

function makeStore(): { store: JournalStore; largest: () => number } {
  let largest = 0
  const asked: Pick<JournalStore, 'page' | 'getSession' | 'getMetadata'> = {
    async page(_, { after = 0, limit }) {
      largest = Math.max(largest, limit)
      return pageAfter(after, limit)
    },
    getSession: async () => SESSION,
    getMetadata: async () => undefined,
  }
  // Nothing else is asked of it: a call of another method fails the test.
  return { store: asked as JournalStore, largest: () => largest }
}

test('a session of 100,000 events opens by pages and is cached within its limit', async () => {
  const { store, largest } = makeStore()
  const views = new Views(store, { view: { maxBytes: MAX_BYTES } })
  const view = await views.get('s')
  expect([view.lastSeq, view.messageCount, largest()]).toEqual([TOTAL, (TOTAL / PER_TURN) * 2, 500])
  expect(view.bytes).toBeLessThanOrEqual(MAX_BYTES)
  const newest = view.messages({ limit: 2 })
  expect(newest.map(({ parts }) => parts[0])).toMatchObject([
    { text: `Prompt ${TOTAL / PER_TURN}` },
    { type: 'step-start' },
  ])
  expect(view.listMessages().map(({ isHeld }) => isHeld)).toContain(false)
})
