// The faults of this process, asked at each moment at which one may happen.
import type { StopReason } from '@agentclientprotocol/sdk/unstable'
import { appendToMockFile, isMockFileThere } from '../disk/state/mock-store.ts'
import type { Fault, Firing } from './faults/fault.ts'
import type { Session } from './session.ts'
import type { Turn } from './turn.ts'

export interface ChosenFault {
  fault: Fault
  argument: string
}

interface Places {
  /** The folder of the store. */
  store: string | undefined
  /** Made when a fault happens; none happens while it is there. */
  faultOnce: string | undefined
}

export class ChosenFaults {
  readonly #chosen: readonly ChosenFault[]
  readonly #places: Places

  constructor(chosen: readonly ChosenFault[], places: Places) {
    this.#chosen = chosen
    this.#places = places
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

  /** How the turn ended, where a fault ended it. */
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
    const { store: folder, faultOnce } = this.#places
    if (faultOnce !== undefined && isMockFileThere(faultOnce)) return []
    return this.#chosen.map(({ fault, argument }) => [fault, { argument, folder, fire: () => this.#mark(fault.name) }])
  }

  #mark(name: string): void {
    if (this.#places.faultOnce !== undefined) appendToMockFile(this.#places.faultOnce, `${name}\n`)
  }
}
