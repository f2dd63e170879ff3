// One command that runs for an agent. It is started without a shell.
import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import { RequestError, type TerminalExitStatus, type TerminalOutputResponse } from '@agentclientprotocol/sdk'
import { systemCode } from '../../disk/files/system-errors.ts'
import { askEach, endFamily, isFamilyGone } from '../../disk/processes/end-family.ts'
import { locateProgram, startProgram } from '../../disk/processes/start-program.ts'
import { program, words, written } from '../../model/program.ts'
import { BoundedOutput } from './bounded-output.ts'
import { DRAIN_MS } from './limits.ts'

export interface CommandOptions {
  command: string
  args: readonly string[]
  folder: string
  variables: Record<string, string>
  outputBytes: number
  graceMs: number
}

export class Command {
  /** Resolves when the command has exited and its output was read. */
  readonly exit: Promise<TerminalExitStatus>
  /** Rejects with a `RequestError` where the program cannot be started. */
  readonly started: Promise<void>
  readonly #child: ChildProcess
  readonly #output: BoundedOutput
  readonly #graceMs: number
  #status: TerminalExitStatus | undefined
  #hasExited = false
  /**
   * No process of the group was left when the command exited, so its number may already belong to another
   * process.
   */
  #isGone = false
  #ending: Promise<void> | undefined

  /** Throws a `RequestError` for an invalid command. */
  constructor(options: CommandOptions) {
    this.#output = new BoundedOutput(options.outputBytes)
    this.#graceMs = options.graceMs
    this.#child = start(options)
    this.exit = this.#watchExit()
    this.started = new Promise((resolve, reject) => {
      this.#child.once('spawn', resolve)
      this.#child.on('error', error => reject(notStarted(options.command, error)))
    })
    for (const stream of [this.#child.stdout, this.#child.stderr]) if (stream !== null) this.#read(stream)
  }

  output(): TerminalOutputResponse {
    return { ...this.#output.read(), exitStatus: this.#status ?? null }
  }

  /** Resolves when the command and all processes it started are gone. */
  end(): Promise<void> {
    this.#ending ??= this.#end().catch(error => {
      this.#ending = undefined
      throw error
    })
    return this.#ending
  }

  /** A detached process may hold the output open. Stop reading it. */
  letGo(): void {
    this.#child.stdout?.destroy()
    this.#child.stderr?.destroy()
  }

  async #end(): Promise<void> {
    const leader = this.#child.pid
    if (leader === undefined) return
    if (process.platform === 'win32') this.#child.kill()
    else if (!this.#isGone)
      await endFamily(
        { leader, hasExited: () => this.#hasExited },
        { ask: pid => askEach(pid, 'SIGTERM'), graceMs: this.#graceMs },
      )
    await this.exit
  }

  #read(stream: Readable): void {
    const output = this.#output.openStream()
    stream.on('data', (chunk: Buffer) => output.add(chunk))
    stream.once('end', () => output.end())
    stream.on('error', error =>
      output.add(Buffer.from(`\n[The rest of the output could not be read: ${systemCode(error)}]\n`)),
    )
  }

  #watchExit(): Promise<TerminalExitStatus> {
    return new Promise(resolve => {
      this.#child.once('exit', (exitCode, signal) => {
        const leader = this.#child.pid
        this.#hasExited = true
        this.#isGone = leader !== undefined && isFamilyGone({ leader, hasExited: () => true })
        const settle = (): void => {
          clearTimeout(timer)
          this.#status ??= { exitCode, signal }
          resolve(this.#status)
        }
        const timer = setTimeout(settle, DRAIN_MS)
        this.#child.once('close', settle)
      })
    })
  }
}

/** Starts a new session and process group, so that all its processes can be found and ended. */
function start({ command, args, folder, variables }: CommandOptions): ChildProcess {
  try {
    // The agent already has the user's rights. The command and its arguments are the agent's own.
    const found = locateProgram(program(command, words(written(args))), folder, variables)
    if (found === undefined) throw Object.assign(new Error('not found'), { code: 'ENOENT' })
    return startProgram(found, { folder, env: variables, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    throw notStarted(command, error)
  }
}

function notStarted(command: string, error: unknown): RequestError {
  const code = systemCode(error)
  const why = code === 'ENOENT' ? 'the program was not found' : code
  return RequestError.invalidParams(
    { command, code },
    `${command} could not be started: ${why}. It is started without a shell; its arguments belong in args`,
  )
}
