// node bench/measure/watch-load.ts HOME STATE SECONDS SCRIPT: the sessions of the home as a day wrote them, in bursts over so many seconds, while `archive --watch` runs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeContext } from '../../src/catalog/context.ts'
import { findSessions } from '../../src/catalog/find-all.ts'

export interface WatchFigures {
  bytes: number
  bursts: number
  /** Processor time of the watcher: all of it while the sessions were written, and afterwards while nothing was. */
  busyMs: number
  idleMs: number
  idleSeconds: number
}

const [home = '', state = '', seconds = '0', script = ''] = process.argv.slice(2)
const NEWLINE = 0x0a
const BURST_MS = 200
const START_MS = 5000
/** Long enough for the last copy. */
const SETTLE_MS = 10_000
const IDLE_MS = 10_000
const TICK_MS = 10

const { sessions } = await findSessions(makeContext({ home, state, logLevel: 'silent' }))
const texts = sessions.map(({ filePath }) => readFileSync(filePath))
const ends = texts.map(() => 0)
for (const { filePath } of sessions) writeFileSync(filePath, '')
const bytes = texts.reduce((sum, { length }) => sum + length, 0)
const burst = bytes / ((Number(seconds) * 1000) / BURST_MS)

const watcher = spawn(process.execPath, [script, '--home', home, '--state', state, 'archive', '--watch'], {
  stdio: 'ignore',
})
await sleep(START_MS)
const before = cpuMs()
let bursts = 0
for (let step = 0; ends.some((end, index) => end < (texts[index]?.length ?? 0)); step++) {
  const index = step % sessions.length
  const [text, end, session] = [texts[index], ends[index] ?? 0, sessions[index]]
  if (text === undefined || session === undefined || end >= text.length) continue
  const next = text.indexOf(NEWLINE, Math.min(text.length - 1, end + burst)) + 1 || text.length
  appendFileSync(session.filePath, text.subarray(end, next))
  ends[index] = next
  bursts++
  await sleep(BURST_MS)
}
await sleep(SETTLE_MS)
const written = cpuMs()
await sleep(IDLE_MS)
const idleMs = cpuMs() - written
watcher.kill('SIGTERM')
await once(watcher, 'exit')
const figures: WatchFigures = { bytes, bursts, busyMs: written - before, idleMs, idleSeconds: IDLE_MS / 1000 }
process.stdout.write(JSON.stringify(figures))

/** User and system time of the watcher, in ticks of the kernel. */
function cpuMs(): number {
  const fields = readFileSync(`/proc/${watcher.pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}
