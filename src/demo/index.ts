// A home full of made-up conversations of all agents: healthy ones, and one for each damage of each kind of
// session. The same seed gives the same home.
import { join } from 'node:path'
import { agents } from '../agents/index.ts'
import { Random } from '../agents/samples/random.ts'
import type { Context } from '../catalog/context.ts'
import { makeContext } from '../catalog/context.ts'
import { findSessions } from '../catalog/find-all.ts'
import { makeSampleFolder, setSampleTime, writeSampleFile } from '../disk/files/sample-files.ts'
import type { SessionRef } from '../model/session.ts'
import { archiveSamples } from './archive-samples.ts'
import type { BrokenSession } from './break-session.ts'
import { breakAsPlanned } from './break-session.ts'
import type { WrittenSession } from './fill-home.ts'
import { fillHome } from './fill-home.ts'
import type { Growth } from './growth.ts'
import { allMakers, repairableKinds } from './kinds.ts'
import { planSessions } from './plan.ts'
import { writeStandIns } from './stand-ins.ts'
import { fillOtherHome, folderOf, misplace, planVanished, writeNamedFiles } from './vanished.ts'

interface DemoOptions {
  /** An empty or missing folder. Never a real home. */
  home: string
  seed?: number
  /** The current time in milliseconds since 1970. All ages count from it. */
  now?: number
  onProgress?(done: number, total: number): void
}

export interface Demo {
  home: string
  /** For a server or a command that reads this home only. */
  context: Context
  /** The folder of the stand-ins. Terminals put it first on their PATH. */
  commands: string
  sessions: DemoSession[]
  /** A home of another machine, whose sessions can be adopted. */
  otherHome: string
  /** The session that is still being written. */
  growth: Growth | undefined
}

export interface DemoSession {
  session: SessionRef
  title: string
  messages: number
  problem: 'none' | 'damage' | 'cut' | 'emptied' | 'zeroed' | 'growing' | 'deleted' | 'shortened'
  /** The id of the damage. */
  damage?: string
  /** What was done to the session. */
  what?: string
}

const SEED = 4

export async function buildDemo(options: DemoOptions): Promise<Demo> {
  const { home, seed = SEED, now = Date.now(), onProgress } = options
  const context = contextOf(home)
  const projects = join(home, 'projects')
  const kinds = await repairableKinds(agents)
  const { environment } = context
  const makers = await allMakers(agents, kinds)
  const planned = [
    ...planSessions({ agents, environment, kinds, makers, random: new Random(`${seed} plan`) }),
    ...planVanished(agents, makers, projects),
  ]
  makeSampleFolder(home)
  for (const name of new Set(planned.map(({ story }) => story.project)))
    writeSampleFile(
      join(folderOf(home, projects, name), 'README.md'),
      `# ${name}\n\nA folder of the rethread demo. Nothing is in it.\n`,
    )
  writeNamedFiles(home, projects, planned)
  let done = 0
  const onSession = (): void => onProgress?.(++done, planned.length)
  const written = fillHome(planned, { home, projects, seed, now, onSession }).map(session =>
    session.planned.isMisplaced === true ? misplaced(session, projects) : session,
  )
  const otherHome = fillOtherHome(agents, makers, { home, seed, now })
  const found = await findAll(context)
  const troubled = written.map(session => breakAsPlanned(session, found(session), seed))
  const commands = join(home, 'bin')
  writeStandIns(
    commands,
    agents,
    written.map(session => ({ session: found(session), messages: session.made.messages })),
  )
  setTimes(troubled, now)
  const archived = written.filter(
    ({ planned: { problem } }) => problem.type === 'deleted' || problem.type === 'shortened',
  )
  await archiveSamples(
    context,
    archived.map(each => ({ written: each, session: found(each) })),
    now,
  )
  const sessions = troubled.map(session => describe(session, found(session)))
  return {
    home,
    otherHome,
    context,
    commands,
    sessions,
    growth: troubled.find(({ growth }) => growth !== undefined)?.growth,
  }
}

function misplaced(session: WrittenSession, projects: string): WrittenSession {
  const file = misplace(session.planned, session.made.file, projects)
  const files = session.files.map(path => (path === session.made.file ? file : path))
  return { ...session, made: { ...session.made, file }, files }
}

/** The platform is always Linux, because the makers put the stores where Linux has them. */
function contextOf(home: string): Context {
  const state = join(home, '.local', 'state', 'rethread')
  const context = makeContext({ home, state })
  return { ...context, environment: { ...context.environment, platform: 'linux' } }
}

/**
 * Finds the written sessions before they are broken. rethread caches the healthy stores in this pass and
 * shows the cached sessions when a store is locked.
 */
async function findAll(context: Context): Promise<(session: WrittenSession) => SessionRef> {
  const { sessions } = await findSessions(context)
  const refs = new Map(sessions.map(session => [`${session.agent}\n${session.sessionId}`, session]))
  return ({ made }) => {
    const session = refs.get(`${made.agent}\n${made.sessionId}`)
    if (session === undefined) throw new Error(`${made.file} was written and is not found.`)
    return session
  }
}

/** A file is as old as the newest conversation in it. */
function setTimes(sessions: readonly BrokenSession[], now: number): void {
  const times = new Map<string, number>()
  for (const { files, endsAt, growth } of sessions)
    for (const path of files) times.set(path, Math.max(times.get(path) ?? 0, growth === undefined ? endsAt : now))
  for (const [path, time] of times) setSampleTime(path, time)
}

function describe({ planned, made, inflicted, isHealthy }: BrokenSession, session: SessionRef): DemoSession {
  const { problem, story } = planned
  const common = { session, title: story.title, messages: made.messages }
  if (problem.type !== 'damage') return { ...common, problem: problem.type }
  if (isHealthy === true) return { ...common, problem: 'none' }
  return { ...common, problem: 'damage', damage: problem.damage.id, what: inflicted?.what ?? '' }
}
