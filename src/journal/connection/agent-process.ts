// The process of an agent, in its own session, so that all processes it starts end with it.
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { PassThrough, pipeline, type Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { canWorkIn } from '../../disk/files/named-folder.ts'
import { findNotExecutable } from '../../disk/processes/find-command.ts'
import { findLeftProcesses, identifyProcess, type ProcessIdentity } from '../../disk/processes/process-identity.ts'
import { locateProgram, startPiped } from '../../disk/processes/start-program.ts'
import { RethreadError } from '../../model/errors.ts'
import { paste } from '../../model/paste.ts'
import { type Program, program, words, written } from '../../model/program.ts'
import { noInterpreter, notExecutable, notInstalled, tryByHandHint } from './errors.ts'
import { CLOSE_MS, MAX_STDERR_BYTES, TERM_MS } from './limits.ts'

export interface AgentCommand {
  /** The configured name. */
  name: string
  title: string
  command: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  /** The npm package, shown in the hint where the agent is not installed. */
  install?: string
  /** The command with which a person logs in, for hints. */
  login?: string
}

export interface AgentExit {
  code: number | null
  signal: string | null
  stderr: string
}

export interface AgentProcess {
  readonly identity: ProcessIdentity
  readonly input: ChildProcessWithoutNullStreams['stdin']
  readonly output: Readable
  /** The agent itself has exited. Processes that it started, and output that was not read yet, may be left. */
  readonly hasExited: boolean
  /** Resolves when the agent and all processes it started have exited. */
  readonly exited: Promise<AgentExit>
  /** Closes the input, then sends SIGTERM, then SIGKILL. A second call joins the first. */
  end(): Promise<AgentExit>
}

/**
 * An environment variable of the agent and of all processes it starts. It identifies them, wherever they
 * moved.
 */
export const MARK_NAME = 'RETHREAD_CONNECTION'
/** Variables of rethread itself. Agents do not get them. */
const OWN_VARIABLE = /^RETHREAD_/
const POLL_MS = 20

export function markOf(connectionId: string): string {
  return `${MARK_NAME}=${connectionId}`
}

export async function startAgent(
  agent: AgentCommand,
  { connectionId, cwd, env = process.env }: { connectionId: string; cwd: string; env?: NodeJS.ProcessEnv },
): Promise<AgentProcess> {
  const child = await spawned(agent, cwd, { ...withoutOwn(env), ...agent.env, [MARK_NAME]: connectionId })
  const { pid } = child
  if (pid === undefined) throw cannotStart(agent, 'it has no process number')
  // The process may have exited already. Then no later process can be mistaken for it.
  const identity = identifyProcess(pid) ?? { pid, began: 'ended' }
  const stderr = collectEnd(child)
  // Read from the start: Node drops the output of a process that exits before it has a reader.
  const output = pipeline(child.stdout, new PassThrough(), () => undefined)
  const mark = markOf(connectionId)
  const killAll = (signal: NodeJS.Signals): void => signalAll(findLeftProcesses(identity, mark), signal)
  const onOurExit = (): void => killAll('SIGKILL')
  process.on('exit', onOurExit)
  const exited = new Promise<AgentExit>(resolve =>
    child.once('close', (code, signal) => {
      // A child that still writes would lose turns, so it must not outlive the agent. A large process takes
      // time to exit.
      void fence(identity, connectionId).finally(() => {
        process.off('exit', onOurExit)
        resolve({ code, signal, stderr: stderr() })
      })
    }),
  )
  // `close` waits for the pipes, which a child process may hold open.
  child.once('exit', () => killAll('SIGKILL'))
  let ending: Promise<AgentExit> | undefined
  const end = (): Promise<AgentExit> => {
    ending ??= endSoftly(child, exited, killAll)
    return ending
  }
  // An agent that no longer reads has exited or is unusable. Its exit says why.
  child.stdin.on('error', () => void end())
  return {
    identity,
    input: child.stdin,
    output,
    get hasExited() {
      return child.exitCode !== null || child.signalCode !== null
    },
    exited,
    end,
  }
}

/**
 * Kills the processes that an exited rethread left behind, before their sessions are restored. Returns their
 * number.
 */
export async function fence(leader: ProcessIdentity | undefined, connectionId: string): Promise<number> {
  const mark = markOf(connectionId)
  const found = findLeftProcesses(leader, mark)
  for (let left = found; left.length > 0; left = findLeftProcesses(leader, mark)) {
    signalAll(left, 'SIGKILL')
    await sleep(POLL_MS)
  }
  return found.length
}

async function endSoftly(
  child: ChildProcessWithoutNullStreams,
  exited: Promise<AgentExit>,
  killAll: (signal: NodeJS.Signals) => void,
): Promise<AgentExit> {
  child.stdin.end()
  if (await within(exited, CLOSE_MS)) return await exited
  killAll('SIGTERM')
  if (await within(exited, TERM_MS)) return await exited
  killAll('SIGKILL')
  return await exited
}

async function within(exited: Promise<AgentExit>, ms: number): Promise<boolean> {
  const timer = new AbortController()
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false)
  const isOver = await Promise.race([exited.then(() => true), late])
  timer.abort()
  return isOver
}

function spawned(
  agent: AgentCommand,
  cwd: string,
  env: Record<string, string | undefined>,
): Promise<ChildProcessWithoutNullStreams> {
  return new Promise((resolve, reject) => {
    const found = locateProgram(programOf(agent), ROOT, env)
    if (found === undefined) throw notStartable(agent, env)
    const child = startPiped(found, { folder: folderFor(cwd), env, detached: true })
    child.once('spawn', () => resolve(child))
    child.once('error', error => reject(fromSpawnError(agent, error, found.command)))
  })
}

function notStartable(agent: AgentCommand, env: Record<string, string | undefined>): RethreadError {
  const blocked = findNotExecutable(agent.command, ROOT, env)
  return blocked === undefined ? notInstalled(agent) : notExecutable(agent.title, blocked)
}

function fromSpawnError(agent: AgentCommand, error: Error, path: string): RethreadError {
  const code = 'code' in error ? error.code : undefined
  if (code === 'EACCES') return notExecutable(agent.title, path)
  return code === 'ENOENT' ? noInterpreter(agent, error) : cannotStart(agent, error.message, error)
}

/** A relative command is never resolved from the folder of a conversation. */
const ROOT = '/'

/** Command and arguments come from the configuration only, never from a conversation. */
function programOf({ command, args }: AgentCommand): Program {
  return program(command, words(written(args)))
}

/**
 * One process serves many sessions, and each passes its own folder. A missing folder must not prevent the
 * start.
 */
function folderFor(cwd: string): string {
  return canWorkIn(cwd) ? cwd : process.cwd()
}

function withoutOwn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OWN_VARIABLE.test(name)))
}

function collectEnd(child: ChildProcessWithoutNullStreams): () => string {
  let end = Buffer.alloc(0)
  child.stderr.on('data', (chunk: Buffer) => {
    const all = Buffer.concat([end, chunk])
    end = all.subarray(Math.max(0, all.length - MAX_STDERR_BYTES))
  })
  return () => end.toString('utf8')
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal)
    } catch (error) {
      // The process exited in the meantime.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
}

function cannotStart(agent: AgentCommand, why: string, cause?: unknown): RethreadError {
  const install =
    agent.install === undefined ? '' : `. Is it installed? ${paste('npm install --global', agent.install)}`
  return new RethreadError({
    code: 'agent-failed',
    text: `${agent.title} could not be started: ${why}.`,
    hint: `${tryByHandHint(agent)}${install}`,
    ...(cause === undefined ? {} : { cause }),
  })
}
