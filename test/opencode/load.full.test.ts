// Many listeners, many sessions that answer at once and one long session, on the real server with the mock agent.
// With the numbers that are promised; what was measured is printed.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LONG_SESSION, messagesIn, writeLongSession } from '../support/long-journal.ts'
import { shareOpenCodeServer } from '../support/opencode-server.ts'
import { second } from './clients.ts'
import { StreamReader } from './stream-reader.ts'
import { Transcript } from './transcript.ts'

const STREAMS = 200
const SESSIONS = 50
const WORDS = 40
const EVENTS = 100_000
/** Garbage is not counted as memory in use, and a server that grew with what it is asked for would not live to the end. */
const SMALL_HEAP = ['--max-old-space-size=256', '--max-semi-space-size=8']
const MAX_RESIDENT_BYTES = 700e6
/** Of the listener that does not read: more than the buffers between us and the lag that is allowed, less than what is kept for those who come back. */
const UNREAD_BYTES = 26e6
const LARGE = 'x'.repeat(1024 * 1024)

const server = shareOpenCodeServer({
  fill: async journal => await writeLongSession(journal, EVENTS),
  flags: SMALL_HEAP,
})
const client = () => second(server().baseUrl)
const ASKED = `stream ${WORDS}`
const ANSWER = Array.from({ length: WORDS }, (_, n) => `word${n + 1}`).join(' ')

test('everybody who listens hears every event once and in order, while many sessions answer and a long one is opened', async () => {
  const transcript = new Transcript()
  const readers = await Promise.all(
    Array.from({ length: STREAMS }, async (_, n) =>
      StreamReader.open(server().baseUrl, n === 0 ? { onEvent: event => transcript.take(event) } : {}),
    ),
  )
  const begun = performance.now()
  const opened = openLong()
  const ids = await Promise.all(Array.from({ length: SESSIONS }, async () => await say(await begin(), ASKED)))
  const answeredMs = performance.now() - begun
  const { firstId: lastId } = await StreamReader.open(server().baseUrl)
  await Promise.all(readers.map(async reader => await reader.has(lastId)))
  const heardMs = performance.now() - begun

  expect(new Set(readers.map(({ jumps }) => jumps))).toEqual(new Set([0]))
  expect(new Set(readers.map(({ digest }) => digest)).size).toBe(1)
  for (const id of ids) expect(transcript.of(id)).toEqual({ busy: 1, idle: 1, texts: [ASKED, ANSWER] })
  const { count, openedMs } = await opened
  expect(count).toBe(messagesIn(EVENTS))
  const events = lastId - (readers[0]?.firstId ?? 0)
  report({
    events,
    megabytes: readers.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6,
    answeredMs,
    heardMs,
    openedMs,
  })
  expectBounded()
})

test('one who does not read is let go with a reason, and goes on behind the last it had', async () => {
  const [slow, quick] = [await StreamReader.open(server().baseUrl), await StreamReader.open(server().baseUrl)]
  slow.pause()
  const id = await begin()
  while (quick.bytes < UNREAD_BYTES) await say(id, LARGE)
  const { firstId: lastId } = await StreamReader.open(server().baseUrl)
  await quick.has(lastId)
  slow.resume()
  await slow.over()
  expect(slow.comments.at(-1)).toBe(': The stream ends: too slow. Continue with Last-Event-ID.')
  expect(slow.lastId).toBeLessThan(lastId)

  const back = await StreamReader.open(server().baseUrl, { after: slow })
  await back.has(lastId)
  expect([back.hasMissed, slow.jumps, back.jumps, quick.jumps]).toEqual([false, 0, 0, 0])
  expect(back.digest).toBe(quick.digest)
  report({ slowMegabytes: slow.bytes / 1e6, quickMegabytes: quick.bytes / 1e6 })
  expectBounded()
})

async function begin(): Promise<string> {
  return (await client().session.create()).data?.id ?? ''
}

async function say(sessionID: string, text: string): Promise<string> {
  const { error } = await client().session.prompt({ sessionID, parts: [{ type: 'text', text }] })
  expect(error).toBeUndefined()
  return sessionID
}

async function openLong(): Promise<{ count: number; openedMs: number }> {
  const begun = performance.now()
  const { data = [] } = await client().session.messages({ sessionID: LONG_SESSION })
  return { count: data.length, openedMs: performance.now() - begun }
}

/** Where the system tells it. */
function expectBounded(): void {
  if (process.platform !== 'linux') return
  const status = readFileSync(`/proc/${server().child.pid}/status`, 'utf8')
  const peakBytes = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
  report({ peakMegabytes: peakBytes / 1e6 })
  expect(peakBytes).toBeLessThan(MAX_RESIDENT_BYTES)
}

function report(figures: Record<string, number>): void {
  const text = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(value < 100 ? 1 : 0)}`)
  process.stderr.write(`load: ${text.join(', ')}\n`)
}
