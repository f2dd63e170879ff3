// `sanitize`: a workspace of many conversations, sound ones and with some that want repairing.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeLibrary } from '../measure/library.ts'
import type { Command } from '../measure/processes.ts'
import { mediansOf, peakMemory, timeOnce } from '../measure/processes.ts'
import type { Row } from '../measure/report.ts'
import { formatMs, formatRatio } from '../measure/report.ts'
import { formatBytes } from '../sizes.ts'
import type { Benchmark, Setting } from './benchmark.ts'

const CONVERSATION_BYTES = 20_000
const MANY = 5000
const MORE = 20_000
const DAMAGED = 500
const FIRST_ID = 17_935_000_000
const MAX_MEMORY_BYTES = 120e6

export const sanitize: Benchmark = {
  name: 'sanitize',
  *run(setting) {
    yield* withWorkspace(setting, MANY, workspace => [
      measureCheck(setting, workspace),
      measureRepair(setting, workspace),
      measureMemory(setting, workspace),
    ])
    if (!setting.isQuick) yield* withWorkspace(setting, MORE, workspace => [measureMemory(setting, workspace)])
  },
}

interface Workspace {
  root: string
  folder: string
  conversations: string
  count: number
  bytes: number
}

function* withWorkspace(
  setting: Setting,
  count: number,
  use: (workspace: Workspace) => Row[],
): Generator<Row, void, void> {
  const workspace = makeWorkspace(setting.folder, count)
  try {
    yield* use(workspace)
  } finally {
    rmSync(workspace.root, { recursive: true, force: true })
  }
}

/** One conversation as the generator makes it, under many ids. */
function makeWorkspace(parent: string, count: number): Workspace {
  const root = mkdtempSync(join(parent, 'workspace-'))
  const library = makeLibrary(root, {
    agents: ['jp'],
    sessionsPerAgent: 1,
    medianBytes: CONVERSATION_BYTES,
    damageShare: 0,
  })
  const [sample] = library.made
  if (sample === undefined) throw new Error('No conversation was made.')
  const folder = join(root, 'shop')
  const conversations = join(folder, '.jp', 'conversations')
  mkdirSync(conversations, { recursive: true })
  for (let index = 0; index < count; index++)
    cpSync(dirname(sample.file), join(conversations, String(FIRST_ID + index)), { recursive: true })
  const files = readdirSync(dirname(sample.file)).map(name => join(dirname(sample.file), name))
  const bytes = count * files.reduce((sum, file) => sum + statSync(file).size, 0)
  return { root, folder, conversations, count, bytes }
}

function command({ program }: Setting, { root, folder }: Workspace, ...args: string[]): Command {
  const state = mkdtempSync(join(root, 'state-'))
  return program.run('--home', join(root, 'home'), '--state', state, 'sanitize', folder, '--json', ...args)
}

function cat({ conversations }: Workspace): Command {
  return { file: 'sh', args: ['-c', `cat "${conversations}"/*/*`] }
}

function nameOf({ count, bytes }: Workspace): string {
  return `${count.toLocaleString('en')} conversations (${formatBytes(bytes)})`
}

function measureCheck(setting: Setting, workspace: Workspace): Row {
  const [ours = 0, plain = 0] = mediansOf(setting.rounds, [
    () => timeOnce(command(setting, workspace, '--check')),
    () => timeOnce(cat(workspace)),
  ])
  return {
    name: `sanitize --check, ${nameOf(workspace)}`,
    measured: formatMs(ours),
    against: `cat ${formatMs(plain)}`,
    ratio: formatRatio(ours / plain),
    target: '',
    isMet: undefined,
  }
}

function measureRepair(setting: Setting, workspace: Workspace): Row {
  const [ours = 0, check = 0] = mediansOf(setting.rounds, [
    () => {
      breakSome(workspace)
      return timeOnce(command(setting, workspace, '--non-interactive'))
    },
    () => timeOnce(command(setting, workspace, '--check')),
  ])
  return {
    name: `sanitize, ${DAMAGED} of ${workspace.count.toLocaleString('en')} conversations repaired`,
    measured: formatMs(ours),
    against: `sanitize --check ${formatMs(check)}`,
    ratio: formatRatio(ours / check),
    target: '',
    isMet: undefined,
  }
}

/** One loses its metadata, the next has it cut. */
function breakSome({ conversations, count, root }: Workspace): void {
  for (let index = 0; index < DAMAGED; index++) {
    const file = join(conversations, String(FIRST_ID + Math.floor((index * count) / DAMAGED)), 'metadata.json')
    if (index % 2 === 0) renameSync(file, join(root, 'removed'))
    else writeFileSync(file, '{"title": "cut')
  }
}

function measureMemory(setting: Setting, workspace: Workspace): Row {
  const idle = peakMemory(setting.program.run('--version'))
  const above = peakMemory(command(setting, workspace, '--check')) - idle
  return {
    name: `memory of sanitize --check, ${nameOf(workspace)}`,
    measured: `${formatBytes(above)} above idle`,
    against: `idle ${formatBytes(idle)}`,
    ratio: formatRatio((above + idle) / idle),
    target: `≤ ${formatBytes(MAX_MEMORY_BYTES)}`,
    isMet: above <= MAX_MEMORY_BYTES,
  }
}
