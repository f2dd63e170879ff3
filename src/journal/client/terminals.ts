// The terminals of an agent: it starts commands, reads their output and ends them. Each session sees only its
// own.
import { randomUUID } from 'node:crypto'
import {
  type CreateTerminalResponse,
  RequestError,
  type TerminalOutputResponse,
  type WaitForTerminalExitResponse,
} from '@agentclientprotocol/sdk'
import { z } from 'zod'
import { requireSessionFolder } from '../../disk/files/session-folder.ts'
import type { Variables } from '../../disk/processes/find-command.ts'
import { MARK_NAME } from '../connection/agent-process.ts'
import { connectionOf } from '../conversation/questions.ts'
import type { AgentRequest } from './client-side.ts'
import { Command } from './command.ts'
import { parseParams, tooMany, unlessCancelled } from './errors.ts'
import { MAX_OUTPUT_BYTES, MAX_TERMINALS_PER_SESSION, OUTPUT_BYTES } from './limits.ts'

/** A name with `=` would set another variable. */
const variable = z.object({ name: z.string().regex(/^[^=\0]+$/), value: z.string() })
const createRequest = z.object({
  sessionId: z.string(),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(variable).nullish(),
  cwd: z.string().nullish(),
  outputByteLimit: z.number().min(0).refine(Number.isInteger).nullish(),
})
const terminalRequest = z.object({ sessionId: z.string(), terminalId: z.string() })

/** Variables of rethread, and of the npm script that may have started it. */
const OURS = /^(RETHREAD_|npm_|INIT_CWD$)/i

export class Terminals {
  readonly #variables: Variables
  readonly #graceMs: number
  readonly #sessions = new Map<string, Map<string, Command>>()

  constructor(variables: Variables, graceMs: number) {
    this.#variables = variables
    this.#graceMs = graceMs
  }

  async create({ sessionId, key, params }: AgentRequest, folders: readonly string[]): Promise<CreateTerminalResponse> {
    const asked = parseParams(createRequest, params)
    const folder = requireSessionFolder(asked.cwd ?? folders[0] ?? '', folders)
    const terminals = this.#of(sessionId)
    if (terminals.size >= MAX_TERMINALS_PER_SESSION) throw tooMany('terminals', MAX_TERMINALS_PER_SESSION)
    const command = new Command({
      command: asked.command,
      args: asked.args ?? [],
      folder,
      // The mark identifies the process if this rethread exits before it ends the terminal.
      variables: { ...variablesOf(this.#variables, folder, asked.env ?? []), [MARK_NAME]: connectionOf(key) },
      outputBytes: Math.min(asked.outputByteLimit ?? OUTPUT_BYTES, MAX_OUTPUT_BYTES),
      graceMs: this.#graceMs,
    })
    const terminalId = randomUUID()
    terminals.set(terminalId, command)
    try {
      await command.started
    } catch (error) {
      terminals.delete(terminalId)
      throw error
    }
    return { terminalId }
  }

  output(request: AgentRequest): TerminalOutputResponse {
    return this.#find(request).command.output()
  }

  async waitForExit(request: AgentRequest): Promise<WaitForTerminalExitResponse> {
    return { ...(await unlessCancelled(this.#find(request).command.exit, request.signal)) }
  }

  async kill(request: AgentRequest): Promise<Record<string, never>> {
    await this.#find(request).command.end()
    return {}
  }

  /** The terminal is gone for the agent at once. The answer follows when its processes have ended. */
  async release(request: AgentRequest): Promise<Record<string, never>> {
    const { terminalId, command } = this.#find(request)
    this.#of(request.sessionId).delete(terminalId)
    await endAndLetGo(command)
    return {}
  }

  async releaseSession(sessionId: string): Promise<void> {
    const commands = [...(this.#sessions.get(sessionId)?.values() ?? [])]
    this.#sessions.delete(sessionId)
    await endEach(commands)
  }

  async close(): Promise<void> {
    const commands = [...this.#sessions.values()].flatMap(terminals => [...terminals.values()])
    this.#sessions.clear()
    await endEach(commands)
  }

  #of(sessionId: string): Map<string, Command> {
    const known = this.#sessions.get(sessionId) ?? new Map<string, Command>()
    this.#sessions.set(sessionId, known)
    return known
  }

  #find({ sessionId, params }: AgentRequest): { terminalId: string; command: Command } {
    const { terminalId } = parseParams(terminalRequest, params)
    const command = this.#sessions.get(sessionId)?.get(terminalId)
    if (command === undefined) throw RequestError.resourceNotFound(terminalId)
    return { terminalId, command }
  }
}

/** Variables from the agent win, even over those of rethread's names. */
function variablesOf(
  ours: Variables,
  folder: string,
  asked: readonly z.infer<typeof variable>[],
): Record<string, string> {
  const own = Object.entries(ours).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !OURS.test(entry[0]),
  )
  return { ...Object.fromEntries(own), PWD: folder, ...Object.fromEntries(asked.map(one => [one.name, one.value])) }
}

async function endAndLetGo(command: Command): Promise<void> {
  try {
    await command.end()
  } finally {
    command.letGo()
  }
}

/** Tries all before it throws the first failure. */
async function endEach(commands: readonly Command[]): Promise<void> {
  const results = await Promise.allSettled(commands.map(endAndLetGo))
  const failed = results.find(result => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
