// The folders of a session for one request: a session that is released while they are looked up gets nothing done afterwards.
import { RequestError } from '@agentclientprotocol/sdk'
import type { AgentRequest } from './client-side.ts'
import { throwIfCancelled } from './refusals.ts'

interface Look {
  sessionId: string
  isDropped: boolean
}

export class FolderLooks {
  readonly #foldersOf: (sessionId: string) => Promise<readonly string[]>
  readonly #looks = new Set<Look>()

  constructor(foldersOf: (sessionId: string) => Promise<readonly string[]>) {
    this.#foldersOf = foldersOf
  }

  async of({ sessionId, signal }: AgentRequest): Promise<readonly string[]> {
    const look = { sessionId, isDropped: false }
    this.#looks.add(look)
    try {
      const folders = await this.#foldersOf(sessionId)
      throwIfCancelled(signal)
      if (look.isDropped) throw RequestError.requestCancelled()
      return folders
    } finally {
      this.#looks.delete(look)
    }
  }

  drop(sessionId: string): void {
    for (const look of this.#looks) if (look.sessionId === sessionId) look.isDropped = true
  }

  dropAll(): void {
    for (const look of this.#looks) look.isDropped = true
  }
}
