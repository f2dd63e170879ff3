// Which program a terminal starts, and in which folder: the agent's own resume, the agent without a session,
// or a shell.
import { basename, resolve } from 'node:path'
import type { Agent } from '../../agents/agent.ts'
import { requireResume } from '../../agents/resume.ts'
import type { Context } from '../../catalog/context.ts'
import type { NeededFolder } from '../../catalog/folder-state.ts'
import { neededFolder, offersOf } from '../../catalog/project-folder.ts'
import { canWorkIn, makeProjectFolder } from '../../disk/files/named-folder.ts'
import { RethreadError } from '../../model/errors.ts'
import { quote } from '../../model/paste.ts'
import { type Program, program } from '../../model/program.ts'
import type { ClientMessageOf, ServerMessageOf } from '../protocol.ts'
import type { ServedSession } from '../sessions/index.ts'
import type { NewTerminal } from '../terminals/index.ts'
import { personsShell } from '../terminals/index.ts'

type ProgramContext = Pick<Context, 'environment' | 'agents'>
type Plan = Omit<NewTerminal, 'cols' | 'rows'>

const NO_SESSION = { sessionId: null, sessionKey: null }

/** The folder that a client requests instead of the folder of the conversation. */
export type WantedFolder = Pick<ClientMessageOf<'terminal.create'>, 'cwd' | 'makeFolder'>

/** The folder of the conversation is gone. `offers` are the alternatives that a client may request. */
export class FolderGone extends RethreadError {
  readonly offers: NonNullable<ServerMessageOf<'error'>['offers']>

  constructor(needed: NeededFolder) {
    const { path, state } = needed
    const isGone = state === 'gone'
    super({
      code: 'not-found',
      text: `The conversation was held in ${path}, which ${isGone ? 'no longer exists' : 'is not a folder'}.`,
      hint: isGone ? `Create it: mkdir -p ${quote(path)}` : `See what is there: ls -ld ${quote(path)}`,
      path,
    })
    this.offers = offersOf(needed)
  }
}

/** Throws if the agent cannot resume the session. */
export function commandFor(agent: Agent, { session, row }: ServedSession): ReturnType<typeof requireResume> {
  const project = session.project ?? row.project ?? undefined
  return requireResume(agent, session, project === undefined ? {} : { project })
}

/** Also throws if there is no folder to start in. Creates nothing; `makeFolderOf` does. */
export function planResume(
  place: ProgramContext,
  agent: Agent,
  served: ServedSession,
  wanted: WantedFolder = {},
): Plan {
  const { key, session, row } = served
  const project = session.project ?? row.project ?? undefined
  const resume = commandFor(agent, served)
  const needed = neededFolder(place, session, project)
  return {
    agent: agent.id,
    sessionId: session.sessionId,
    sessionKey: key,
    title: row.title ?? session.sessionId,
    program: resume.program,
    folder: needed === undefined ? (resume.folder ?? place.environment.home) : folderFor(place, needed, wanted),
  }
}

function folderFor(
  { environment }: ProgramContext,
  needed: NeededFolder,
  { cwd, makeFolder = false }: WantedFolder,
): string {
  const other = cwd === undefined ? undefined : resolve(environment.home, cwd)
  if (other !== undefined && other !== needed.path && needed.isFree) return other
  const isUsable = needed.state === 'there' || needed.state === 'unknown' || (needed.state === 'gone' && makeFolder)
  if (!isUsable) throw new FolderGone(needed)
  return needed.path
}

/** Creates the folder if the client requested it, right before the agent starts. */
export function makeFolderOf({ folder }: Plan, { makeFolder = false }: WantedFolder): void {
  if (makeFolder && !canWorkIn(folder)) makeProjectFolder(folder)
}

/** Uses the first folder that exists, otherwise the home folder. */
export function planWithoutSession(
  { environment }: ProgramContext,
  agent: Agent,
  folders: readonly (string | null | undefined)[],
): Plan {
  const folder = folders.find(isUsable) ?? environment.home
  return { agent: agent.id, ...NO_SESSION, title: agent.title, program: startOf(agent), folder }
}

function isUsable(folder: string | null | undefined): folder is string {
  return typeof folder === 'string' && canWorkIn(folder)
}

/** Without a session the client chooses the folder. Throws if it does not exist. */
export function planPlain(place: ProgramContext, agent: Agent | undefined, cwd: string | undefined): Plan {
  const folder = resolve(place.environment.home, cwd ?? '')
  const started = agent === undefined ? personsShell() : startOf(agent)
  const title = agent?.title ?? basename(started.command)
  return { agent: agent?.id ?? null, ...NO_SESSION, title, program: started, folder }
}

function startOf(agent: Agent): Program {
  const start = agent.start?.()
  if (start !== undefined) return program(start.command, start.words)
  throw new RethreadError({
    code: 'unsupported',
    text: `${agent.title} has no command to start it with.`,
    hint: `Open ${agent.title} itself.`,
  })
}
