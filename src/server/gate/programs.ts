// What is started, and where: the agent's own resume, the agent anew, or a shell.
import { basename, resolve } from 'node:path'
import type { Agent, Start } from '../../agents/agent.ts'
import type { Context } from '../../library/context.ts'
import { RethreadError } from '../../model/errors.ts'
import type { ServedSession } from '../sessions/index.ts'
import type { NewTerminal } from '../terminals/index.ts'
import { isFolder, personsShell } from '../terminals/index.ts'

type Place = Pick<Context, 'environment'>
type Plan = Omit<NewTerminal, 'cols' | 'rows'>

const NO_SESSION = { sessionId: null, sessionKey: null }

/** Throws where the agent has no way to do it, and says why. */
export function planResume({ environment }: Place, agent: Agent, { key, session, row }: ServedSession): Plan {
  const project = session.project ?? row.project ?? undefined
  const resume = agent.resume(session, project === undefined ? {} : { project })
  if (resume.type === 'unsupported')
    throw new RethreadError({
      code: 'unsupported',
      text: resume.reason,
      hint: `Read it: rethread show ${session.sessionId}`,
      path: session.filePath,
    })
  return {
    agent: agent.id,
    sessionId: session.sessionId,
    sessionKey: key,
    title: row.title ?? session.sessionId,
    command: resume.command,
    args: resume.args,
    folder: resume.folder ?? environment.home,
  }
}

/** In the first of the folders that is still there, and otherwise in the home. */
export function planAnew({ environment }: Place, agent: Agent, folders: readonly (string | null | undefined)[]): Plan {
  const folder = folders.find(candidate => typeof candidate === 'string' && isFolder(candidate)) ?? environment.home
  return { agent: agent.id, ...NO_SESSION, title: agent.title, ...startOf(agent), folder }
}

/** Without a session to say so, the folder is what the person asked for: where that is not there, nothing is started. */
export function planPlain(place: Place, agent: Agent | undefined, cwd: string | undefined): Plan {
  const folder = resolve(place.environment.home, cwd ?? '')
  const program = agent === undefined ? personsShell() : startOf(agent)
  const title = agent?.title ?? basename(program.command)
  return { agent: agent?.id ?? null, ...NO_SESSION, title, ...program, folder }
}

function startOf(agent: Agent): Start {
  const start = agent.start?.()
  if (start !== undefined) return start
  throw new RethreadError({
    code: 'unsupported',
    text: `${agent.title} has no command to start it with.`,
    hint: `Open ${agent.title} itself.`,
  })
}
