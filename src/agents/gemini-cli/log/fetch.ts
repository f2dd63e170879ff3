// Reads single messages of a log again, at the places that the first pass found.
import { isObject, parseJson } from '../../../bytes/json.ts'
import { splitLines } from '../../../bytes/lines.ts'
import { readRecords } from '../../../bytes/records.ts'
import type { Finding, Findings } from '../../../model/finding.ts'
import type { FilePlace } from '../../../model/message.ts'
import { brokenLines } from '../../../repair/damage/lines/index.ts'
import type { RecordLog } from '../../stores/json-lines.ts'
import type { Json } from '../../stores/values.ts'
import { asObject } from '../../stores/values.ts'
import type { Interpreted } from '../messages.ts'
import { interpret } from '../messages.ts'
import { isRecord, listedMessages } from './changes.ts'
import type { HistoryEntry, RecordRange } from './history.ts'

/**
 * The fields that a list of messages lacks when a resume writes the conversation again. It has tool calls
 * without their results.
 */
const LEFT_OUT = ['thoughts', 'tokens', 'model', 'toolCalls'] as const

export class Fetcher {
  readonly #log: Pick<RecordLog, 'file'>
  readonly #findings: Findings
  /** The last list that was parsed: the next message is nearly always in the same one. */
  #listed: { start: number; messages: unknown[] } | undefined

  constructor(log: Pick<RecordLog, 'file'>, findings: Findings) {
    this.#log = log
    this.#findings = findings
  }

  /** Undefined, with a finding, if the file changed since the first pass. */
  message(entry: HistoryEntry): Interpreted | undefined {
    if (entry.element === undefined) return this.#interpreted(entry)
    const messages = this.#messagesOf(entry)
    if (messages === undefined) return undefined
    const listed = messages[entry.element]
    const own = entry.own === undefined ? undefined : this.#record(entry.own)
    return interpret(own === undefined ? listed : completed(listed, own))
  }

  stray(range: RecordRange): Interpreted | undefined {
    return this.#interpreted(range)
  }

  #interpreted(range: RecordRange): Interpreted | undefined {
    const record = this.#record(range)
    return record === undefined ? undefined : interpret(record)
  }

  #messagesOf(entry: HistoryEntry): unknown[] | undefined {
    if (this.#listed?.start !== entry.start) {
      const record = this.#record(entry)
      if (record === undefined) return undefined
      this.#listed = { start: entry.start, messages: listedMessages(record) }
    }
    return this.#listed?.messages
  }

  #record({ start, end }: RecordRange): Json | undefined {
    const bytes = this.#log.file.range(start, end)
    const value = parseJson(bytes)
    if (isObject(value)) return value
    // Reads a damaged record in the same way as the first pass.
    for (const item of readRecords(splitLines([bytes], start), isRecord, brokenLines))
      if (item.type === 'record') return item.value
    this.#findings.add(changedWhileReading({ file: this.#log.file.path, start, end }))
    return undefined
  }
}

export function changedWhileReading(at: FilePlace): Finding {
  return {
    damage: 'changed-while-reading',
    severity: 'lost',
    at,
    text: 'The record was there a moment ago and is gone: the file was changed while it was read.',
    hint: 'Another program rewrote it. Read it again.',
  }
}

function completed(listed: unknown, own: Json): unknown {
  const message = asObject(listed)
  if (message === undefined) return listed
  const missing = LEFT_OUT.filter(name => !(name in message) && name in own)
  return { ...message, ...Object.fromEntries(missing.map(name => [name, own[name]])) }
}
