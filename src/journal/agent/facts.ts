// What is known of a conversation beside its messages.
import type { Message } from '../../model/message.ts'
import type { SessionFacts } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Change } from '../conversation/changes.ts'
import { readMetadataText } from './metadata.ts'
import type { SessionRow } from './tables.ts'

const MAX_TITLE_CHARS = 120

export class FactNotes {
  readonly #facts: SessionFacts
  #titleOfAgent: string | undefined
  #firstPrompt: string | undefined
  #updatedAt: number

  constructor({ sessionId }: SessionRef, row: SessionRow | undefined, metadata: string | undefined) {
    const { title, parent } = readMetadataText(metadata) ?? {}
    this.#updatedAt = row?.createdAt ?? 0
    this.#facts = {
      sessionId,
      ...(title === undefined ? {} : { title }),
      ...(parent === undefined ? {} : { forkedFrom: parent }),
      ...(row === undefined ? {} : { project: row.cwd, ...timeAs('startedAt', row.createdAt) }),
      // Shown behind the name of the agent, which here is that of the journal.
      ...(row === undefined ? {} : { agentVersion: `through ${row.agent}` }),
    }
  }

  noteEvent(at: number, changes: readonly Change[]): void {
    this.#updatedAt = Math.max(this.#updatedAt, at)
    for (const change of changes) if (change.type === 'title') this.#titleOfAgent = change.title
  }

  note(message: Message): Message {
    if (this.#firstPrompt === undefined && message.role === 'user') {
      const text = message.parts.find(part => part.type === 'text')?.text.trim()
      if (text !== undefined && text !== '') this.#firstPrompt = firstLine(text)
    }
    return message
  }

  facts(): SessionFacts {
    const title = this.#facts.title ?? this.#titleOfAgent ?? this.#firstPrompt
    return { ...this.#facts, ...(title === undefined ? {} : { title }), ...timeAs('updatedAt', this.#updatedAt) }
  }
}

function firstLine(text: string): string {
  const [line = ''] = text.slice(0, MAX_TITLE_CHARS * 4).split('\n')
  const all = [...line.trim()]
  return all.length <= MAX_TITLE_CHARS ? line.trim() : `${all.slice(0, MAX_TITLE_CHARS - 1).join('')}…`
}

function timeAs<Name extends 'startedAt' | 'updatedAt'>(name: Name, at: number): Partial<SessionFacts> {
  const date = new Date(at)
  return at === 0 || Number.isNaN(date.getTime()) ? {} : { [name]: date.toISOString() }
}
