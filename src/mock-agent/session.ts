// One session in the memory of the mock agent; with a store, each entry is also on disk as soon as it is complete.
import type { SessionModeState, SessionUpdate } from '@agentclientprotocol/sdk/unstable'
import type { MockStore } from '../disk/state/mock-store.ts'
import type { Entry } from './records.ts'
import { isReplay } from './records.ts'

const MODES = [
  { id: 'ask', name: 'Ask' },
  { id: 'code', name: 'Code' },
]
const FIRST_MODE = 'ask'

export class Session {
  readonly id: string
  readonly cwd: string
  /** Came by load or resume and has had no prompt since. */
  isFreshlyOpened = false
  /** Ends the turn that runs. */
  cancel: (() => void) | undefined
  #entries: Entry[] = []
  readonly #store: MockStore | undefined
  #isOnDisk = false

  constructor(id: string, cwd: string, store: MockStore | undefined) {
    this.id = id
    this.cwd = cwd
    this.#store = store
  }

  get entries(): readonly Entry[] {
    return this.#entries
  }

  get messageCount(): number {
    return this.#entries.filter(({ role }) => role !== null).length
  }

  get replayCount(): number {
    return this.#updates('user_message_chunk').filter(({ content }) => isReplay(content)).length
  }

  get title(): string | null {
    return this.#updates('session_info_update').at(-1)?.title ?? null
  }

  get modes(): SessionModeState {
    const currentModeId = this.#updates('current_mode_update').at(-1)?.currentModeId ?? FIRST_MODE
    return { currentModeId, availableModes: MODES }
  }

  /** The header goes first, also where the file was taken away meanwhile. */
  save(): void {
    if (this.#isOnDisk) return
    this.#store?.append(this.id, { type: 'session', id: this.id, cwd: this.cwd })
    this.#isOnDisk = true
  }

  add(role: Entry['role'], updates: SessionUpdate[]): void {
    const entry: Entry = { type: 'entry', role, updates }
    this.#entries.push(entry)
    this.save()
    this.#store?.append(this.id, entry)
  }

  /** What was read from the store, and is not written there again. */
  remember(entries: readonly Entry[]): void {
    this.#entries = [...entries]
    this.#isOnDisk = true
  }

  /** From memory alone. */
  forget(): void {
    this.#entries = []
  }

  erase(): void {
    this.forget()
    this.#store?.remove(this.id)
    this.#isOnDisk = false
  }

  #updates<Kind extends SessionUpdate['sessionUpdate']>(kind: Kind): Extract<SessionUpdate, { sessionUpdate: Kind }>[] {
    return this.#entries
      .flatMap(({ updates }) => updates)
      .filter((update): update is Extract<SessionUpdate, { sessionUpdate: Kind }> => update.sessionUpdate === kind)
  }
}
