// node serve-load.ts OPTIONS: one server with many sessions and many pages while one session grows. Prints the figures as JSON.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from './processes.ts'
import type { MeasuredServer } from './served.ts'
import { startMeasured } from './served.ts'
import type { Pages } from './served-clients.ts'
import { appendFor, openPages, sizeOf, wordsOf } from './served-clients.ts'

export interface LoadOptions {
  server: Command
  sessions: number
  clients: number
  seconds: number
  appendsPerSecond: number
  growing: { file: string; sessionId: string; messages: number }
}

export interface LoadFigures {
  listeningMs: number
  firstAnswerMs: number
  idle: Percentiles
  loaded: Percentiles
  residentBytes: { start: number; middle: number; end: number }
  maxStallMs: number
  appended: number
}

interface Percentiles {
  p50: number
  p99: number
}

const LIST = '/api/sessions?limit=100'
const PAUSE_MS = 10
const IDLE_SECONDS = 5
const MAX_WAIT_MS = 30_000

process.stdout.write(JSON.stringify(await measure(JSON.parse(process.argv[2] ?? ''))))

async function measure(options: LoadOptions): Promise<LoadFigures> {
  const server = await startMeasured(options.server)
  const firstAnswerMs = await server.time(LIST)
  const key = await allChecked(server, options)
  const idle = await timeFor(server, IDLE_SECONDS)
  const pages = await openPages(server, options.clients, key)
  const { loaded, residentBytes, appended } = await load(server, options)
  await assertNothingLost(server, pages, options, key, appended)
  pages.close()
  const { maxStallMs } = await server.stop()
  const { listeningMs } = server
  return { listeningMs, firstAnswerMs, idle, loaded, residentBytes, maxStallMs, appended }
}

interface Health {
  progress: { phase: string }
  counts: { sessions: number }
}

async function allChecked(server: MeasuredServer, { sessions, growing }: LoadOptions): Promise<string> {
  for (;;) {
    const { progress, counts } = await server.get<Health>('/api/health')
    if (progress.phase === 'done' && counts.sessions === sessions) break
    await sleep(200)
  }
  for (let cursor = ''; ; ) {
    const page = await server.get<{ sessions: { key: string; sessionId: string }[]; nextCursor: string | null }>(
      `/api/sessions?limit=500${cursor}`,
    )
    const found = page.sessions.find(({ sessionId }) => sessionId === growing.sessionId)
    if (found !== undefined) return found.key
    if (page.nextCursor === null) throw new Error(`${growing.sessionId} is not listed.`)
    cursor = `&cursor=${page.nextCursor}`
  }
}

async function load(server: MeasuredServer, { growing, seconds, appendsPerSecond }: LoadOptions) {
  const start = server.residentBytes()
  const appending = appendFor(growing.file, seconds, appendsPerSecond)
  const middle = sleep((seconds * 1000) / 2).then(() => server.residentBytes())
  const loaded = await timeFor(server, seconds)
  const appended = await appending
  return { loaded, appended, residentBytes: { start, middle: await middle, end: server.residentBytes() } }
}

async function timeFor(server: MeasuredServer, seconds: number): Promise<Percentiles> {
  const times: number[] = []
  for (const begun = performance.now(); performance.now() - begun < seconds * 1000; await sleep(PAUSE_MS))
    times.push(await server.time(LIST))
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

/** Every record is on its page, and every page has heard of the last one. */
async function assertNothingLost(
  server: MeasuredServer,
  pages: Pages,
  { clients, growing }: LoadOptions,
  key: string,
  appended: number,
): Promise<void> {
  const size = sizeOf(growing.file)
  for (let waited = 0; pages.heardOf(size) < clients; waited += PAUSE_MS) {
    if (waited > MAX_WAIT_MS)
      throw new Error(`${pages.heardOf(size)} of ${clients} pages heard of the end, ${pages.dropped} were dropped.`)
    await sleep(PAUSE_MS)
  }
  const wanted = growing.messages + appended
  for (let from = 0; from < wanted; from += 200) {
    const path = `/api/sessions/${key}/messages?from=${from}&limit=200`
    const { messages, total } = await server.get<{ messages: unknown[]; total: number }>(path)
    const text = JSON.stringify(messages)
    if (total !== wanted) throw new Error(`${wanted} messages were written, ${total} are shown.`)
    for (let n = Math.max(0, from - growing.messages); n < Math.min(appended, from + 200 - growing.messages); n++)
      if (!text.includes(wordsOf(n))) throw new Error(`Message ${growing.messages + n} is not on its page.`)
  }
}
