// node bench/measure/archive-load.ts HOME STATE STEPS: the sessions of the home as a day wrote them, in as many bursts, each copied by the archive.
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { archiveAll, archiveFound } from '../../src/catalog/archive.ts'
import { makeContext } from '../../src/catalog/context.ts'
import { findSessions } from '../../src/catalog/find-all.ts'

export interface ArchiveFigures {
  bytes: number
  storedBytes: number
  segments: number
  /** Processor time of all copies, and of the longest. */
  cpuMs: number
  longestMs: number
}

const [home = '', state = '', steps = '0'] = process.argv.slice(2)
const NEWLINE = 0x0a
const context = makeContext({ home, state, logLevel: 'silent' })
const { sessions } = await findSessions(context)
const texts = sessions.map(({ filePath }) => readFileSync(filePath))
const ends = texts.map(() => 0)
for (const { filePath } of sessions) writeFileSync(filePath, '')
const burst = texts.reduce((sum, { length }) => sum + length, 0) / Number(steps)

let cpuMs = 0
let longestMs = 0
let full = 0
for (let step = 0; ends.some((end, index) => end < (texts[index]?.length ?? 0)); step++) {
  const index = step % sessions.length
  const [text, end, session] = [texts[index], ends[index] ?? 0, sessions[index]]
  if (text === undefined || session === undefined || end >= text.length) continue
  const next = text.indexOf(NEWLINE, Math.min(text.length - 1, end + burst)) + 1 || text.length
  appendFileSync(session.filePath, text.subarray(end, next))
  ends[index] = next
  const before = process.cpuUsage()
  const { mtimeMs, size } = statSync(session.filePath)
  // As the watcher does: what changed alone, and everything now and then.
  if (step % 50 === 0) await archiveAll(context)
  else {
    const ref = { ...session, identity: `${mtimeMs}:${size}`, fileSize: size, updatedAt: mtimeMs }
    await archiveFound(context, { sessions: [ref], failures: [], agents: context.agents, isPart: true })
  }
  const { user, system } = process.cpuUsage(before)
  cpuMs += (user + system) / 1000
  longestMs = Math.max(longestMs, (user + system) / 1000)
  full++
}
await archiveAll(context)
const stored = readdirSync(join(state, 'archive', 'segments'), { recursive: true, withFileTypes: true }).filter(entry =>
  entry.isFile(),
)
const figures: ArchiveFigures & { copies: number } = {
  bytes: texts.reduce((sum, { length }) => sum + length, 0),
  storedBytes: stored.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0),
  segments: stored.length,
  cpuMs,
  longestMs,
  copies: full,
}
process.stdout.write(JSON.stringify(figures))
