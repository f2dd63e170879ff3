// The facts about a conversation beside its messages: title, project, times.
import type { Message } from '../../model/message.ts'
import type { SessionFacts } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { ConversationChange } from '../conversation/changes.ts'
import type { JournalSessionRow } from './tables.ts'
import { readMetadataText } from './tables.ts'

const MAX_TITLE_CHARS = 120

export class FactCollector {
  readonly #facts: SessionFacts
  #titleOfAgent: string | undefined
  #firstPrompt: string | undefined
  /** The title of the copied history, how often it was forked, and the event after the last copy. */
  #fork: { base: string | undefined; depth: number; seq: number } | undefined
  #updatedAt: number

  constructor({ sessionId }: SessionRef, row: JournalSessionRow | undefined, metadata: string | undefined) {
    const { title, parent } = readMetadataText(metadata) ?? {}
    this.#updatedAt = row?.createdAt ?? 0
    this.#facts = {
      sessionId,
      ...(title === undefined ? {} : { title }),
      ...(parent === undefined ? {} : { forkedFrom: parent }),
      ...(row?.cwd === undefined ? {} : { project: row.cwd }),
      ...(row === undefined ? {} : timeAs('startedAt', row.createdAt)),
      // Shown after the agent's name, which is the journal's here.
      ...(row === undefined ? {} : { agentVersion: `through ${row.agent}` }),
    }
  }

  noteEvent(at: number, changes: readonly ConversationChange[]): void {
    this.#updatedAt = Math.max(this.#updatedAt, at)
    for (const change of changes) {
      if (change.type === 'title') this.#titleOfAgent = change.title
      if (change.type === 'forked') this.#noteFork(change.seq)
    }
  }

  /** After a fork, the prompts and the agent's title belong to the fork. */
  #noteFork(seq: number): void {
    const base = this.#fork?.base ?? this.#titleOfAgent ?? this.#firstPrompt
    this.#fork = { base, depth: (this.#fork?.depth ?? 0) + 1, seq }
    this.#titleOfAgent = undefined
    this.#firstPrompt = undefined
  }

  note(message: Message): Message {
    const text = message.role === 'user' ? message.parts.find(part => part.type === 'text')?.text.trim() : undefined
    if (text === undefined || text === '') return message
    // The last message of the copied history may arrive after the fork event.
    const isCopied = this.#fork !== undefined && 'row' in message.at && Number(message.at.row) < this.#fork.seq
    if (isCopied && this.#fork !== undefined) this.#fork.base ??= firstLine(text)
    else this.#firstPrompt ??= firstLine(text)
    return message
  }

  /** Adds the first words of the fork itself, so that two forks of one conversation differ. */
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

/** "Fork of Shoes". A fork of a fork is "Fork 2 of Shoes". */
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
