// The outcome of reading a session: complete, or partial with what is missing. A reading that failed altogether is thrown instead.
import type { Finding, Findings } from './finding.ts'
import type { Message } from './message.ts'
import type { Cost } from './usage.ts'

/** Messages come in order; a message whose id was already given replaces the earlier one (it has grown). */
export type Reading = AsyncGenerator<Message, ReadingEnd, void>

export type ReadingEnd = CompleteReading | PartialReading

export interface CompleteReading extends ReadingFacts {
  type: 'complete'
}

export interface PartialReading extends ReadingFacts {
  type: 'partial'
  error: PartialCause
  /** Byte offset behind the last record that was read; 0 for stores that are not files of bytes. */
  parsedUpTo: number
  /** Whether anything was read in spite of the error. */
  recovered: boolean
}

/** Why a reading is partial. This is the whitelist: every other failure is thrown. */
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
  /** Conversation that is stored but not on the branch that was read. */
  branches: Branch[]
  findings: Finding[]
  /** How many findings there were beyond the bounded list. */
  moreFindings: number
  /** False where a checkpoint was given but no longer fits, so that everything was read again. */
  continued: boolean
  /** How many messages its agent would load as it is, where the reader knows that and it is not all of them. */
  loads?: number
  /** How many it would load once it is repaired; all of them, where absent. */
  loadsRepaired?: number
  /** Where to go on after the file grew; absent for stores that are rewritten rather than appended to. */
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
  /** Of the whole conversation, as the agent itself adds it up. */
  cost?: Cost
}

export interface RecordCounts {
  /** Records that were read. */
  records: number
  /** Records the agent keeps for itself and that are no part of the conversation. */
  bookkeeping: number
  /** Records of a type we do not know; they are among the messages, as such. */
  unknown: number
  /** Places that were skipped because they could not be read. */
  skipped: number
}

export interface Branch {
  id: string
  kind: 'abandoned' | 'sidechain'
  messages: number
  /** The beginning of its first message. */
  title: string
}

/** Everything needed to read only what was added. Plain data, so that it can be stored. */
export interface Checkpoint {
  device: string
  inode: string
  offset: number
  /** SHA-256 over the bytes before the offset (a bounded window). */
  hash: string
  state: unknown
}

export function isPartial(end: ReadingEnd): end is PartialReading {
  return end.type === 'partial'
}

/** Complete or partial follows from the findings alone, so no reader can forget to say so. */
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

/** Reads to the end. For small sessions and tests: the messages are all in memory. */
export async function collect(reading: Reading): Promise<{ messages: Message[]; end: ReadingEnd }> {
  const byId = new Map<string, Message>()
  for (;;) {
    const step = await reading.next()
    if (step.done) return { messages: [...byId.values()], end: step.value }
    byId.set(step.value.id, step.value)
  }
}
