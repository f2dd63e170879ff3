// The running agents: one process for each, started when the first conversation needs it.
import { identifyProcess, isSameProcess, type ProcessIdentity } from '../../disk/processes/process-identity.ts'
import { rethreadStopping } from '../errors.ts'
import type { JournalConnection } from '../store/store.ts'
import type { AgentCommand } from './agent-process.ts'
import { AgentConnection, type ConnectionOptions } from './connection.ts'

export interface ConnectionsOptions
  extends Omit<ConnectionOptions, 'agent' | 'owner' | 'cwd' | 'initialize' | 'signal'> {
  /** Throws where the agent is not configured or not installed. */
  agent(name: string): AgentCommand
  initialize(): ConnectionOptions['initialize']
}

export class Connections {
  readonly owner: ProcessIdentity
  readonly #options: ConnectionsOptions
  readonly #open = new Map<string, Promise<AgentConnection>>()
  readonly #ids = new Set<string>()
  readonly #everOpened = new Set<string>()
  readonly #stopping = new AbortController()
  #isStopped = false

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.owner = identifyProcess(process.pid) ?? { pid: process.pid, began: '' }
  }

  /** Concurrent calls share one connection. `cwd` is the folder where a new process starts. */
  async get(name: string, cwd: string): Promise<AgentConnection> {
    const known = this.#open.get(name)
    if (known !== undefined) {
      const connection = await known
      if (connection.isOpen) return connection
      // The exit is journalled before another process starts.
      await connection.closed
    }
    if (this.#isStopped) throw rethreadStopping()
    const next = this.#open.get(name)
    if (next !== undefined && next !== known) return await next
    const opening = this.#openOne(name, cwd)
    this.#open.set(name, opening)
    opening.catch(() => this.#forget(name, opening))
    return await opening
  }

  /** Whether a living process, this one or another rethread, owns the connection. */
  isHeld(connection: JournalConnection): boolean {
    return this.isOurs(connection) ? this.#ids.has(connection.id) : isSameProcess(connection.owner)
  }

  isOurs({ owner }: JournalConnection): boolean {
    return owner.pid === this.owner.pid && owner.began === this.owner.began
  }

  /** Whether this process opened the connection, at any time. */
  hasOpened(id: string): boolean {
    return this.#everOpened.has(id)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    // An agent that has not answered yet is not awaited.
    this.#stopping.abort()
    const open = await Promise.allSettled(this.#open.values())
    await Promise.all(
      open.map(async result => (result.status === 'fulfilled' ? await result.value.close() : undefined)),
    )
  }

  async #openOne(name: string, cwd: string): Promise<AgentConnection> {
    const { agent, initialize, ...options } = this.#options
    const connection = await AgentConnection.open({
      ...options,
      agent: agent(name),
      initialize: initialize(),
      owner: this.owner,
      cwd,
      signal: this.#stopping.signal,
    })
    this.#ids.add(connection.id)
    this.#everOpened.add(connection.id)
    void connection.closed.then(() => this.#ids.delete(connection.id))
    return connection
  }

  #forget(name: string, opening: Promise<AgentConnection>): void {
    if (this.#open.get(name) === opening) this.#open.delete(name)
  }
}
