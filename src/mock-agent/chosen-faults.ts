// The faults that are turned on in this process. The agent calls a
// method here at each point where one can happen.
import type { StopReason } from '@agentclientprotocol/sdk/unstable'
import { appendToMockFile, isMockFileThere } from '../disk/state/mock-store.ts'
import type { Fault, Firing } from './faults.ts'
import type { Session } from './sessions.ts'
import type { Turn } from './turn.ts'

export interface ChosenFault {
  fault: Fault
  argument: string
}

interface Paths {
  /** The folder of the store. */
  store: string | undefined
  /** The file that the first fault creates. While it exists, no fault happens. */
  faultOnce: string | undefined
}

export class ChosenFaults {
  readonly #chosen: readonly ChosenFault[]
  readonly #paths: Paths

  constructor(chosen: readonly ChosenFault[], paths: Paths) {
    this.#chosen = chosen
    this.#paths = paths
  }

  start(): void {
    for (const [fault, firing] of this.#active()) fault.start?.(firing)
  }

  async initialize(): Promise<void> {
    for (const [fault, firing] of this.#active()) await fault.initialize?.(firing)
  }

  async create(): Promise<void> {
    for (const [fault, firing] of this.#active()) await fault.create?.(firing)
  }

  async beforeLoad(): Promise<void> {
    for (const [fault, firing] of this.#active()) await fault.beforeLoad?.(firing)
  }

  async load(session: Session): Promise<void> {
    for (const [fault, firing] of this.#active()) await fault.load?.(firing, session)
  }

  async beforeResume(): Promise<void> {
    for (const [fault, firing] of this.#active()) await fault.beforeResume?.(firing)
  }

  /** Returns the stop reason if a fault ends the turn. */
  async prompt(turn: Turn): Promise<StopReason | undefined> {
    for (const [fault, firing] of this.#active()) {
      const reason = await fault.prompt?.(firing, turn)
      if (reason !== undefined) return reason
    }
    return undefined
  }

  chunk(sent: number): void {
    for (const [fault, firing] of this.#active()) fault.chunk?.(firing, sent)
  }

  beforeAnswer(): Buffer {
    return Buffer.concat(
      this.#active().flatMap(([fault, firing]) => {
        const bytes = fault.beforeAnswer?.(firing)
        return bytes === undefined ? [] : [bytes]
      }),
    )
  }

  #active(): [Fault, Firing][] {
    const { store: folder, faultOnce } = this.#paths
    if (faultOnce !== undefined && isMockFileThere(faultOnce)) return []
    return this.#chosen.map(({ fault, argument }) => {
      const { name } = fault
      return [fault, { name, argument, folder, fire: () => this.#mark(name) }]
    })
  }

  #mark(name: string): void {
    if (this.#paths.faultOnce !== undefined) appendToMockFile(this.#paths.faultOnce, `${name}\n`)
  }
}
