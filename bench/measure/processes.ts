// Running commands and measuring them. Everything is timed the same way: a process from its start to its end, its output thrown away.
import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface Command {
  file: string
  args: string[]
}

/** Outputs that are looked at are lists, never conversations. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'peak-memory.js')).href

/** `fine`: statuses beside 0 that are no failure. */
export function timeOnce(command: Command, fine: readonly number[] = []): number {
  const out = openSync(devNull, 'w')
  try {
    const start = process.hrtime.bigint()
    const result = spawnSync(command.file, command.args, { stdio: ['ignore', out, 'pipe'] })
    const ms = Number(process.hrtime.bigint() - start) / 1e6
    if (!fine.includes(result.status ?? -1)) assertFine(command, result)
    return ms
  } finally {
    closeSync(out)
  }
}

export function outputOf(command: Command): string {
  const result = spawnSync(command.file, command.args, { maxBuffer: MAX_OUTPUT_BYTES })
  assertFine(command, result)
  return result.stdout.toString('utf8')
}

/** The largest resident size a Node process had, in bytes. */
export function peakMemory(command: Command): number {
  const out = openSync(devNull, 'w')
  try {
    const args = ['--import', PRELOAD, ...command.args]
    const result = spawnSync(command.file, args, { stdio: ['ignore', out, 'pipe', 'pipe'] })
    assertFine(command, result)
    return Number(result.output[3]?.toString('utf8'))
  } finally {
    closeSync(out)
  }
}

interface Finished {
  status: number | null
  error?: Error
  stderr: Buffer
}

/** A measurement of something that failed would be worth nothing. */
function assertFine({ file, args }: Command, { status, error, stderr }: Finished): void {
  if (error !== undefined) throw error
  if (status === 0) return
  throw new Error(
    `${file} ${args.join(' ').slice(0, 500)} ended with ${status}: ${stderr.toString('utf8').slice(0, 2000)}`,
  )
}

/** Each command once to warm the caches, then all of them in turn, so that whatever else the machine does hits them alike. */
export function mediansOf(rounds: number, runs: (() => number)[]): number[] {
  for (const run of runs) run()
  const times = runs.map((): number[] => [])
  for (let round = 0; round < rounds; round++) for (const [index, run] of runs.entries()) times[index]?.push(run())
  return times.map(median)
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}
