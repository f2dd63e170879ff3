// node scan-log.ts served LOG: checks a log of Claude Code in a process that runs already, like a server, and prints the milliseconds.
// node scan-log.ts kernel|wasm|js LOG: scans a log of Claude Code once, and prints the processor's time in milliseconds. `kernel` is the kernel of the
// scanner alone, without an index of what it finds. node scan-log.ts program FILE: writes the fields, for the native program.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { repair } from '../../src/agents/claude-code/repair/index.ts'
import { agents } from '../../src/agents/index.ts'
import type { Field } from '../../src/bytes/scanner/fields.ts'
import { compileFields } from '../../src/bytes/scanner/fields.ts'
import { loadScanner } from '../../src/disk/files/load-scanner.ts'
import { openFile } from '../../src/disk/files/read.ts'
import type { SessionRef } from '../../src/model/session.ts'
import { checkForCache } from '../../src/repair/check/check-for-cache.ts'
import { chooseScanner } from '../../src/repair/scan/choose-scanner.ts'
import { indexLog } from '../../src/repair/scan/scan-log.ts'

const IDLE_MS = 30
const MAX_IDLE_SHARE = 0.05

const [what = '', path = ''] = process.argv.slice(2)
const fields: Field = repair.fields ?? {}

if (what === 'program') writeProgram()
else if (what === 'served') await checkServed()
else {
  const file = openFile(path, path)
  await untilIdle()
  const before = process.cpuUsage()
  const records = what === 'kernel' ? scanOnly() : scanAndIndex()
  const { user, system } = process.cpuUsage(before)
  process.stdout.write(`${(user + system) / 1000} ${records}\n`)

  function scanOnly(): number {
    const kernel = loadScanner()
    if (kernel === undefined) throw new Error('This Node cannot run the scanner.')
    let lines = 0
    const count = (rows: number): void => {
      lines += rows
    }
    kernel.start(fields, { a: 1, b: 2 }, 0)
    for (const chunk of file.chunks(0, file.identity.size, kernel.chunk))
      if (!kernel.scan(chunk, count)) throw new Error('A line is too long for the kernel.')
    kernel.finish(count)
    return lines
  }

  function scanAndIndex(): number {
    const scanner = chooseScanner(what)
    return indexLog(file.chunks(0, file.identity.size, scanner.chunkBuffer()), repair, scanner).index.length
  }
}

function writeProgram(): void {
  const { words, names } = compileFields(fields)
  const count = Uint16Array.of(words.length)
  writeFileSync(path, Buffer.concat([Buffer.from(count.buffer), Buffer.from(words.buffer), names]))
}

/** Node strips the types of this script with a module of WebAssembly, which V8 still optimizes when the script runs. */
async function untilIdle(): Promise<void> {
  for (;;) {
    const before = process.cpuUsage()
    await setTimeout(IDLE_MS)
    const { user, system } = process.cpuUsage(before)
    if (user + system < IDLE_MS * MAX_IDLE_SHARE * 1000) return
  }
}

/** The second check of the same log, with another state folder: threads and code are there, and nothing is cached. */
async function checkServed(): Promise<void> {
  const session: SessionRef = {
    agent: 'claude-code',
    generation: 'projects',
    sessionId: basename(path, '.jsonl'),
    filePath: path,
    storeRoot: dirname(path),
    updatedAt: 0,
    fileSize: statSync(path).size,
    identity: '',
  }
  const environment = { home: dirname(path), platform: 'linux' as const, variables: {} }
  for (let round = 0; round < 2; round++) {
    const state = mkdtempSync(join(tmpdir(), 'rethread-served-'))
    const start = performance.now()
    const { verdict } = await checkForCache({ agents, environment, state }, session)
    const ms = performance.now() - start
    rmSync(state, { recursive: true, force: true })
    if (round > 0) process.stdout.write(`${ms} ${verdict.status}\n`)
  }
  process.exit(0)
}
