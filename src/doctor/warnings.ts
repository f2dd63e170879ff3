// What may be lost next: sessions that the agent will delete, sessions with two writers, sessions that became
// shorter, stores on a full, shared or synced disk.
import { basename, dirname, join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import { findStore, locationsOf } from '../agents/store.ts'
import { type ChainHead, openArchiveIfThere } from '../archive/archive.ts'
import type { Context } from '../catalog/context.ts'
import { statIfThere } from '../disk/files/handles.ts'
import { exists, realPath } from '../disk/files/read.ts'
import { files } from '../disk/files/system-calls.ts'
import { findWriters } from '../disk/processes/open-handles.ts'
import { paste } from '../model/paste.ts'
import type { SessionRef } from '../model/session.ts'
import type { DoctorFinding, FindingKind } from './report.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Sessions that the agent deletes within this time are mentioned. */
const SOON_MS = 7 * DAY_MS
/** A process that keeps a session open has written to it recently. */
const ACTIVE_MS = 60 * 60 * 1000
const LEAST_FREE_BYTES = 500_000_000

export async function findWarnings(
  context: Context,
  sessions: readonly SessionRef[],
  agents: readonly Agent[] = context.agents,
): Promise<DoctorFinding[]> {
  const heads = await readHeads(context)
  return [
    ...agents.flatMap(agent => retentionOf(context, agent, sessions, heads)),
    ...twoWriters(context, sessions),
    ...shortened(context, sessions, heads),
    ...(await riskySessions(context, sessions)),
    ...places(context, agents),
  ]
}

type Heads = ReadonlyMap<string, ChainHead>

async function readHeads(context: Context): Promise<Heads> {
  const archive = openArchiveIfThere(context.state, context.archive)
  if (archive === undefined) return new Map()
  try {
    const heads = [...(await archive.heads()).values()].filter(({ deleted }) => deleted === undefined)
    return new Map(heads.map(head => [keyOf(head.session), head]))
  } finally {
    archive.close()
  }
}

function keyOf({ agent, sessionId, generation }: Pick<SessionRef, 'agent' | 'sessionId' | 'generation'>): string {
  return JSON.stringify([agent, sessionId, generation])
}

interface Warned {
  kind: FindingKind
  severity?: DoctorFinding['severity']
  agent?: string
  text: string
  evidence?: string[]
  command?: string
  sessions?: readonly SessionRef[]
}

function warning({
  kind,
  severity = 'warning',
  agent,
  text,
  evidence = [],
  command,
  sessions = [],
}: Warned): DoctorFinding {
  const counts: Record<string, number> = {}
  for (const session of sessions) counts[session.agent] = (counts[session.agent] ?? 0) + 1
  return {
    kind,
    severity,
    ...(agent === undefined ? {} : { agent }),
    text,
    evidence,
    ...(command === undefined ? {} : { command }),
    isFixable: false,
    counts,
    sessions: sessions.slice(0, 20).map(each => ({ agent: each.agent, sessionId: each.sessionId })),
  }
}

function retentionOf(context: Context, agent: Agent, sessions: readonly SessionRef[], heads: Heads): DoctorFinding[] {
  const rule = agent.retention?.(context.environment)
  if (rule === undefined) return []
  const limit = Date.now() + SOON_MS - rule.days * DAY_MS
  const own = sessions.filter(
    session => session.agent === agent.id && session.subagentOf === undefined && session.updatedAt < limit,
  )
  const unsaved = own.filter(session => !heads.has(keyOf(session)))
  if (unsaved.length === 0) return []
  const count = unsaved.length === 1 ? '1 session that is' : `${unsaved.length} sessions that are`
  const text = `${agent.title} deletes ${count} not archived within a week.`
  const evidence = [
    `It deletes what is older than ${rule.days} days. To keep all, write ${rule.setting} into ${rule.file}.`,
  ]
  return [
    warning({ kind: 'retention', agent: agent.id, text, evidence, command: 'rethread archive', sessions: unsaved }),
  ]
}

function twoWriters(context: Context, sessions: readonly SessionRef[]): DoctorFinding[] {
  const now = Date.now()
  const active = sessions.filter(
    session =>
      now - session.updatedAt < ACTIVE_MS && findStore(agentOf(context, session), session)?.traits.framing !== 'sqlite',
  )
  const inodes = active.flatMap(session => {
    const stats = statIfThere(session.filePath, 'stat')
    return stats === undefined ? [] : [{ session, device: String(stats.dev), inode: String(stats.ino) }]
  })
  return [...findWriters(inodes)].flatMap(([{ session }, pids]) => {
    if (pids.length < 2) return []
    const text = `Two processes write to session ${session.sessionId}: each may overwrite what the other wrote.`
    const evidence = [`Processes ${pids.join(' and ')} have ${session.filePath} open. End one of them.`]
    return [warning({ kind: 'two-writers', agent: session.agent, text, evidence, sessions: [session] })]
  })
}

function agentOf({ agents }: Context, { agent }: SessionRef): Agent | undefined {
  return agents.find(({ id }) => id === agent)
}

/** A log only grows. One that is shorter than its archived copy was cut or overwritten. */
function shortened(context: Context, sessions: readonly SessionRef[], heads: Heads): DoctorFinding[] {
  const cut = sessions.filter(session => {
    const isLog = findStore(agentOf(context, session), session)?.traits.appendOnly === true
    const size = heads.get(keyOf(session))?.size
    return isLog && size !== undefined && session.fileSize < size
  })
  return cut.map(session => {
    const size = heads.get(keyOf(session))?.size ?? 0
    return warning({
      kind: 'shortened',
      agent: session.agent,
      text: `Session ${session.sessionId} is shorter than its archived copy: part of it was lost.`,
      evidence: [`${session.filePath} has ${session.fileSize} bytes and had ${size}.`],
      command: paste('rethread versions', session.sessionId),
      sessions: [session],
    })
  })
}

/** What the stores know of versions that lose sessions, and of sizes that they cannot load. */
async function riskySessions(context: Context, sessions: readonly SessionRef[]): Promise<DoctorFinding[]> {
  const findings: DoctorFinding[] = []
  for (const [agent, own] of Map.groupBy(sessions, session => agentOf(context, session)))
    for (const [store, inStore] of Map.groupBy(own, session => findStore(agent, session))) {
      const listing = await store?.listing?.()
      if (agent === undefined || listing?.risks === undefined) continue
      for (const { kind, text, evidence, sessions: concerned } of listing.risks(inStore, context.environment))
        findings.push(warning({ kind, agent: agent.id, text, evidence, sessions: concerned }))
    }
  return findings
}

/** Magic numbers of `statfs`, in Linux. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x65735546, 'a FUSE file system'],
  [0x01021997, '9P'],
])
const SYNCED_NAMES =
  /^(?:Dropbox(?: \(.+\))?|OneDrive(?: - .+)?|Google Drive|GoogleDrive|My Drive|iCloud Drive|Mobile Documents|CloudStorage|Nextcloud|Syncthing|pCloud Drive|MEGA|MEGAsync)$/i
const SYNC_MARKS = ['.stfolder', '.dropbox', '.dropbox.cache', '.owncloudsync.log', '.nextcloudsync.log']

function places(context: Context, agents: readonly Agent[]): DoctorFinding[] {
  const stores = agents.flatMap(agent =>
    locationsOf(agent, context.environment).flatMap(({ location: { path } }) =>
      exists(path) ? [{ agent, path: realPath(path) }] : [],
    ),
  )
  const findings: DoctorFinding[] = []
  const full = new Map<string, { free: number; paths: string[] }>()
  for (const { agent, path } of stores) {
    const device = String(statIfThere(path)?.dev)
    const known = full.get(device) ?? { free: files().space(path), paths: [] }
    full.set(device, { ...known, paths: [...known.paths, path] })
    const where = networkOf(path) ?? syncedBy(path)
    if (where === undefined) continue
    const text = `${agent.title} keeps sessions on ${where}. Locks do not hold there, and another machine may write over them.`
    findings.push(
      warning({ kind: 'risky-place', agent: agent.id, text, evidence: [path], command: 'rethread archive' }),
    )
  }
  for (const { free, paths } of full.values())
    if (free < LEAST_FREE_BYTES)
      findings.push(
        warning({
          kind: 'disk-full',
          text: `Only ${Math.floor(free / 1_000_000)} MB are free on the disk of these sessions. An agent that cannot write may truncate its sessions.`,
          evidence: paths,
        }),
      )
  return findings
}

function networkOf(path: string): string | undefined {
  return process.platform === 'linux' ? NETWORK.get(files().fileSystem(path)) : undefined
}

function syncedBy(path: string): string | undefined {
  for (let folder = path; dirname(folder) !== folder; folder = dirname(folder)) {
    const mark = SYNC_MARKS.find(name => exists(join(folder, name)))
    if (mark !== undefined || SYNCED_NAMES.test(basename(folder))) return `a synced folder (${folder})`
  }
  return undefined
}
