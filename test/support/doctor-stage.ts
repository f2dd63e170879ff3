// A home with sessions of several agents in one project, and the command line as processes on it.
import { spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, renameSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { makeContext } from '../../src/catalog/context.ts'
import { listReceipts } from '../../src/disk/vault/receipts.ts'
import { runDoctor } from '../../src/doctor/doctor.ts'
import { rememberFolders } from '../../src/doctor/evidence.ts'
import type { DoctorReport } from '../../src/doctor/report.ts'
import { undoRepair } from '../../src/repair/undo.ts'
import { type CliResult, rethreadInTurnWith, rethreadWith } from './cli.ts'
import { put, temporaryHome } from './home.ts'
import { hashesIn, move, RECORDED } from './moved-folders.ts'
import { rethreadBin } from './package.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures/recorded')
const AGENTS = ['claude-code-2.1.325', 'codex-0.166.0', 'gemini-cli-0.61.0', 'opencode-1.18.33']

export interface DoctorStage {
  home: string
  /** The project, which exists. */
  folder: string
  run(...args: string[]): Promise<CliResult>
  /** As a process of its own. */
  runWith(env: Record<string, string>, ...args: string[]): Promise<CliResult>
  doctor(): Promise<DoctorReport>
  /** Takes back everything that is not taken back, the newest first. */
  undoAll(): Promise<void>
  /** A line in a shell, in which `rethread` is this one. */
  paste(line: string, cwd?: string): Promise<CliResult>
}

interface StageOptions {
  names?: readonly string[]
  project?: string
}

/** An earlier run of the doctor has seen the project: that is the evidence of a later one. */
export async function doctorStage({ names = AGENTS, project = 'code/shop' }: StageOptions = {}): Promise<DoctorStage> {
  const home = temporaryHome()
  const place = temporaryHome()
  const state = join(place, 'state')
  const folder = join(place, project)
  mkdirSync(folder, { recursive: true })
  for (const name of names) cpSync(join(FIXTURES, name), home, { recursive: true })
  await move(makeContext({ home, state: join(place, 'first'), logLevel: 'silent' }), RECORDED, folder)
  rememberFolders(state, [folder])
  const context = makeContext({ home, state, logLevel: 'silent' })
  const shim = `#!/bin/sh\nexec '${process.execPath}' '${rethreadBin}' --home '${home}' --state '${state}' "$@"\n`
  chmodSync(put(place, 'bin/rethread', shim), 0o755)
  const runWith = async (env: Record<string, string>, ...args: string[]) =>
    await rethreadWith(home, { HOME: home, ...env }, '--state', state, ...args)
  const run = async (...args: string[]) => await rethreadInTurnWith(home, { HOME: home }, '--state', state, ...args)
  return {
    home,
    folder,
    run,
    runWith,
    doctor: async () => (await runDoctor(context)).report,
    async undoAll() {
      for (const { receipt } of listReceipts(state).receipts)
        if (receipt.state === 'applied') await undoRepair(context, receipt.id, { force: true })
    },
    async paste(line, cwd = place) {
      const child = spawn('bash', ['-c', line], {
        cwd,
        env: { ...process.env, HOME: home, PATH: [join(place, 'bin'), process.env['PATH']].join(delimiter) },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const ended = new Promise<number | null>(resolve => child.on('close', resolve))
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
      return { stdout, stderr, status: await ended }
    },
  }
}

export const lostIn = ({ findings }: DoctorReport) => findings.filter(({ severity }) => severity === 'lost')

/** In which folders the sessions are, and whether they are listed there. */
export const foldersIn = ({ sessions }: DoctorReport) =>
  new Set(sessions.map(({ folder, state }) => `${state} ${folder}`))

/** Kills its own process, as kill -9 does, in place of the n-th call that changes a name in the home. */
const KILLER = `
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const { KILL_IN: home, KILL_AT: at } = process.env
let calls = 0
for (const name of ['renameSync', 'linkSync', 'unlinkSync', 'mkdirSync', 'rmdirSync']) {
  const call = fs[name]
  fs[name] = (...values) => {
    const isInside = values.some(value => typeof value === 'string' && value.startsWith(home + '/'))
    if (isInside && ++calls === Number(at)) process.kill(process.pid, 'SIGKILL')
    return call(...values)
  }
}
syncBuiltinESMExports()
`

/**
 * Moves a project with a process that is killed in place of the n-th call, and once more. Returns false if the first
 * process lived to see the end of it.
 */
export async function moveKilledAt(
  at: number,
  stage: DoctorStage,
  killer = put(temporaryHome(), 'killer.mjs', KILLER),
) {
  const { home, folder, run, runWith, doctor, undoAll } = stage
  const to = join(dirname(folder), 'store')
  const before = hashesIn(home)
  renameSync(folder, to)
  const NODE_OPTIONS = `${process.env['NODE_OPTIONS'] ?? ''} --import ${killer}`
  const env = { NODE_OPTIONS, KILL_IN: home, KILL_AT: String(at) }
  const { status } = await runWith(env, 'move', folder, to, '--yes', '--force')
  const next = await run('move', folder, to, '--yes', '--force')
  expect([at, next.status, next.stderr]).toEqual([at, 0, expect.not.stringContaining('could not be settled')])
  const after = await doctor()
  expect([at, lostIn(after), foldersIn(after)]).toEqual([at, [], new Set([`listed ${to}`])])
  await undoAll()
  expect([at, hashesIn(home)]).toEqual([at, before])
  renameSync(to, folder)
  return status === null
}
