// The outcome of reading a session: complete, or partial with the reason. A reading that fails altogether
// throws.
import type { Finding, Findings } from './finding.ts'
import type { Message } from './message.ts'
import type { Cost } from './usage.ts'

/**
 * Messages come in order. A message with an id that was already given replaces the earlier one (it has
 * grown).
 */
export type Reading = AsyncGenerator<Message, ReadingEnd, void>

export type ReadingEnd = CompleteReading | PartialReading

export interface CompleteReading extends ReadingFacts {
  type: 'complete'
}

export interface PartialReading extends ReadingFacts {
  type: 'partial'
  error: PartialCause
  /** The byte offset after the last record that was read. 0 for stores that are not byte files. */
  parsedUpTo: number
  /** Whether anything was read despite the error. */
  recovered: boolean
}

/** The reasons for which a reading may be partial. Every other failure is thrown. */
export const PARTIAL_CODES = [
  'still-being-written',
  'records-unreadable',
  'document-cut-short',
  'database-busy',
] as const

export type PartialCode = (typeof PARTIAL_CODES)[number]

export interface PartialCause {
  code: PartialCode
  text: string
}

export interface ReadingFacts {
  facts: SessionFacts
  counts: RecordCounts
  /** Stored messages that are not on the branch that was read. */
  branches: Branch[]
  findings: Finding[]
  /** How many findings did not fit in the bounded list. */
  moreFindings: number
  /** False if the given checkpoint no longer fits, so that everything was read again. */
  continued: boolean
  /** How many messages the agent would load now, if the reader knows it and it is not all of them. */
  loads?: number
  /** How many it would load after a repair. If absent, all of them. */
  loadsRepaired?: number
  /** Where to continue after the file grew. Absent for stores that are rewritten instead of appended to. */
  checkpoint?: Checkpoint
}

export interface SessionFacts {
  sessionId?: string
  title?: string
  project?: string
  startedAt?: string
  updatedAt?: string
  agentVersion?: string
  model?: string
  subagentOf?: string
  forkedFrom?: string
  /** The cost of the whole conversation, as the agent adds it up. */
  cost?: Cost
}

export interface RecordCounts {
  /** Records that were read. */
  records: number
  /** Records for the agent's own use, which are not part of the conversation. */
  bookkeeping: number
  /**
   * Records of an unknown type, or with text in unknown fields.
   * They are among the messages, marked as unknown.
   */
  unknown: number
  /** Places that were skipped because they could not be read. */
  skipped: number
}

export interface Branch {
  id: string
  kind: 'abandoned' | 'sidechain'
  messages: number
  /** The start of its first message. */
  title: string
}

/** Everything needed to read only what was added. Plain data, so that it can be stored. */
export interface Checkpoint {
  device: string
  inode: string
  offset: number
  /** SHA-256 of a bounded window of bytes before the offset. */
  hash: string
  state: unknown
}

export function isPartial(end: ReadingEnd): end is PartialReading {
  return end.type === 'partial'
}

/** Derives complete or partial from the findings alone, so that no reader can forget to report it. */
export function endReading(
  common: Omit<ReadingFacts, 'findings' | 'moreFindings'>,
  findings: Findings,
  progress: { parsedUpTo: number; recovered: boolean },
  cause?: PartialCause,
): ReadingEnd {
  const facts = { ...common, findings: findings.list, moreFindings: findings.beyondLimit }
  const error = cause ?? causeOf(findings)
  return error === undefined ? { type: 'complete', ...facts } : { type: 'partial', error, ...progress, ...facts }
}

function causeOf(findings: Findings): PartialCause | undefined {
  if (findings.updating > 0)
    return {
      code: 'still-being-written',
      text: 'The end of the conversation is not complete: the agent may still be writing it.',
    }
  if (findings.lost === 1) return { code: 'records-unreadable', text: '1 part could not be read.' }
  if (findings.lost > 1) return { code: 'records-unreadable', text: `${findings.lost} parts could not be read.` }
  return undefined
}

/** Reads to the end. For small sessions and tests: all messages are in memory. */
export async function collect(reading: Reading): Promise<{ messages: Message[]; end: ReadingEnd }> {
  const byId = new Map<string, Message>()
  for (;;) {
    const step = await reading.next()
    if (step.done) return { messages: [...byId.values()], end: step.value }
    byId.set(step.value.id, step.value)
  }
}
