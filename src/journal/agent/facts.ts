// What is known of a conversation beside its messages.
import type { Message } from '../../model/message.ts'
import type { SessionFacts } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Change } from '../conversation/changes.ts'
import type { SessionRow } from './tables.ts'
import { readMetadataText } from './tables.ts'

const MAX_TITLE_CHARS = 120

export class FactCollector {
  readonly #facts: SessionFacts
  #titleOfAgent: string | undefined
  #firstPrompt: string | undefined
  /** What the copied history was called, how often it was copied, and the event behind the last copy. */
  #fork: { base: string | undefined; depth: number; seq: number } | undefined
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
    for (const change of changes) {
      if (change.type === 'title') this.#titleOfAgent = change.title
      if (change.type === 'forked') this.#noteFork(change.seq)
    }
  }

  /** From here on, what is said and what the agent calls it are its own. */
  #noteFork(seq: number): void {
    const base = this.#fork?.base ?? this.#titleOfAgent ?? this.#firstPrompt
    this.#fork = { base, depth: (this.#fork?.depth ?? 0) + 1, seq }
    this.#titleOfAgent = undefined
    this.#firstPrompt = undefined
  }

  note(message: Message): Message {
    const text = message.role === 'user' ? message.parts.find(part => part.type === 'text')?.text.trim() : undefined
    if (text === undefined || text === '') return message
    // The last message of a copied history may be given after the copy has ended.
    const isCopied = this.#fork !== undefined && 'row' in message.at && Number(message.at.row) < this.#fork.seq
    if (isCopied && this.#fork !== undefined) this.#fork.base ??= firstLine(text)
    else this.#firstPrompt ??= firstLine(text)
    return message
  }

  /** With the first words of its own, so that two forks of one conversation can be told apart. */
  #forkTitle(): string | undefined {
    const { base, depth } = this.#fork ?? {}
    if (base === undefined || depth === undefined) return undefined
    const name = depth === 1 ? `Fork of ${base}` : `Fork ${depth} of ${base}`
    return this.#firstPrompt === undefined ? name : `${name}: ${this.#firstPrompt}`
  }

  facts(): SessionFacts {
    const title = this.#facts.title ?? this.#titleOfAgent ?? this.#forkTitle() ?? this.#firstPrompt
    return { ...this.#facts, ...(title === undefined ? {} : { title }), ...timeAs('updatedAt', this.#updatedAt) }
  }
}

/** "Fork of Shoes"; of a fork that was forked, "Fork 2 of Shoes". */
export function forkTitle(title: string): string {
  const [, number, base] = /^Fork(?: (\d+))? of (.+)$/s.exec(title) ?? []
  return base === undefined ? `Fork of ${title}` : `Fork ${Number(number ?? 1) + 1} of ${base}`
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
