// Stand-ins for the agents: for every command that starts or resumes an agent, the demo has a program of that
// name. It shows its arguments and the session's file, and echoes its input.
import { join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import { resumeOf } from '../agents/resume.ts'
import { findStore } from '../agents/store.ts'
import { writeSampleFile } from '../disk/files/sample-files.ts'
import type { SessionRef } from '../model/session.ts'

interface StoodInSession {
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

/** The commands that the agents report for starting and resuming. */
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

/** Uses the running Node, because the PATH may have an older one or none. */
function launcherOf(path: string, command: string, program: string): [path: string, text: string] {
  if (process.platform === 'win32') return [`${path}.cmd`, `@"${process.execPath}" "${program}" ${command} %*\r\n`]
  const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
  return [path, `#!/bin/sh\nexec ${quote(process.execPath)} ${quote(program)} ${command} "$@"\n`]
}

/**
 * The program behind every stand-in, as text that is written into the demo's home. Its
 * arguments are the name of the command and the arguments of the command. The file
 * sessions.json beside it lists the demo's sessions.
 */
const STAND_IN_PROGRAM = String.raw`// A stand-in of the rethread demo: it shows how an agent would be started, and answers with your own words.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [command, ...args] = process.argv.slice(2)
const dim = text => '\u001b[2m' + text + '\u001b[22m'
const bold = text => '\u001b[1m' + text + '\u001b[22m'
const say = text => process.stdout.write(text + '\n')

say(bold(command) + ' is a stand-in of the rethread demo. The real one is not started, and nothing leaves this machine.')
say(dim('called with  ') + (args.length === 0 ? 'no arguments' : args.join(' ')))
say(dim('in           ') + process.cwd())
say(dim('session      ') + describeSession())
say('')
say('Type something, or "exit".')
process.stdout.write('> ')

let held = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', text => {
  const lines = (held + text).split('\n')
  held = lines.pop() ?? ''
  for (const line of lines) reply(line.trim())
})
process.stdin.on('end', () => process.exit(0))

function reply(line) {
  if (line === 'exit' || line === 'quit') {
    say('Bye.')
    process.exit(0)
  }
  if (line !== '') say('A real agent would now think about: ' + bold(line))
  process.stdout.write('> ')
}

function describeSession() {
  const list = JSON.parse(readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'sessions.json'), 'utf8'))
  const known = list.find(({ id }) => args.includes(id))
  if (known === undefined) return 'a new one'
  try {
    return known.file + ', ' + count(readFileSync(known.file), known)
  } catch (error) {
    return known.file + ' could not be read: ' + error.message
  }
}

/** Counts the complete records in the file. The agent itself may load others. */
function count(bytes, { framing, messages }) {
  if (framing === 'json-lines') {
    const lines = bytes.toString().split('\n').filter(line => line !== '')
    return lines.filter(isJson).length + ' of ' + lines.length + ' lines are whole records'
  }
  if (framing === 'json-document') {
    if (!isJson(bytes.toString())) return 'which is not a complete document'
    const found = Object.values(JSON.parse(bytes.toString())).find(Array.isArray) ?? []
    return found.length + ' messages found in it'
  }
  return 'made with ' + messages + ' messages'
}

function isJson(text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
`
