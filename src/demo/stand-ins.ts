// Commands of the demo's own in place of the agents: whatever an agent says it is started with, there is one of that name.

import { join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import { resumeOf } from '../agents/resume.ts'
import { findStore } from '../agents/store.ts'
import { writeSampleFile } from '../disk/files/sample-files.ts'
import type { SessionRef } from '../model/session.ts'
import { STAND_IN_PROGRAM } from './stand-in-program.ts'

export interface StoodInSession {
  session: SessionRef
  messages: number
}

const EXECUTABLE = 0o755

/** Returns the names of the commands. */
export function writeStandIns(folder: string, agents: readonly Agent[], sessions: readonly StoodInSession[]): string[] {
  const program = join(folder, 'stand-in.mjs')
  writeSampleFile(program, STAND_IN_PROGRAM)
  writeSampleFile(join(folder, 'sessions.json'), JSON.stringify(describe(agents, sessions)))
  const commands = commandsOf(agents, sessions)
  for (const command of commands) {
    const [path, text] = launcherOf(join(folder, command), command, program)
    writeSampleFile(path, text, EXECUTABLE)
  }
  return commands
}

function describe(agents: readonly Agent[], sessions: readonly StoodInSession[]): object[] {
  return sessions.map(({ session, messages }) => ({
    id: session.sessionId,
    file: session.filePath,
    framing: findStore(agentOf(agents, session), session)?.traits.framing,
    messages,
  }))
}

/** The agents are asked, as a terminal would ask them. */
function commandsOf(agents: readonly Agent[], sessions: readonly StoodInSession[]): string[] {
  const started = agents.flatMap(agent => agent.start?.().command ?? [])
  const resumed = sessions.flatMap(({ session }) => {
    const agent = agentOf(agents, session)
    const resume = agent === undefined ? undefined : resumeOf(agent, session, {})
    return resume?.type === 'command' ? [resume.program.command] : []
  })
  return [...new Set([...started, ...resumed])].sort()
}

function agentOf(agents: readonly Agent[], { agent }: SessionRef): Agent | undefined {
  return agents.find(({ id }) => id === agent)
}

/** With the Node that runs us: another on the PATH may be too old, or none be there. */
function launcherOf(path: string, command: string, program: string): [path: string, text: string] {
  if (process.platform === 'win32') return [`${path}.cmd`, `@"${process.execPath}" "${program}" ${command} %*\r\n`]
  const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
  return [path, `#!/bin/sh\nexec ${quote(process.execPath)} ${quote(program)} ${command} "$@"\n`]
}
