// What is started, and where: the agent's own resume, the agent anew, or a shell.
import { basename, resolve } from 'node:path'
import type { Agent } from '../../agents/agent.ts'
import { requireResume } from '../../agents/resume.ts'
import { canWorkIn } from '../../disk/named-folder.ts'
import type { Context } from '../../library/context.ts'
import { RethreadError } from '../../model/errors.ts'
import { type Program, program } from '../../model/program.ts'
import type { ServedSession } from '../sessions/index.ts'
import type { NewTerminal } from '../terminals/index.ts'
import { personsShell } from '../terminals/index.ts'

type Place = Pick<Context, 'environment'>
type Plan = Omit<NewTerminal, 'cols' | 'rows'>

const NO_SESSION = { sessionId: null, sessionKey: null }

/** Throws where the agent has no way to do it, and says why. */
export function planResume({ environment }: Place, agent: Agent, { key, session, row }: ServedSession): Plan {
  const project = session.project ?? row.project ?? undefined
  const resume = requireResume(agent, session, project === undefined ? {} : { project })
  return {
    agent: agent.id,
    sessionId: session.sessionId,
    sessionKey: key,
    title: row.title ?? session.sessionId,
    program: resume.program,
    folder: resume.folder ?? environment.home,
  }
}

/** In the first of the folders that is still there, and otherwise in the home. */
export function planAnew({ environment }: Place, agent: Agent, folders: readonly (string | null | undefined)[]): Plan {
  const folder = folders.find(isUsable) ?? environment.home
  return { agent: agent.id, ...NO_SESSION, title: agent.title, program: startOf(agent), folder }
}

function isUsable(folder: string | null | undefined): folder is string {
  return typeof folder === 'string' && canWorkIn(folder)
}

/** Without a session to say so, the folder is what the person asked for: where that is not there, nothing is started. */
export function planPlain(place: Place, agent: Agent | undefined, cwd: string | undefined): Plan {
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
