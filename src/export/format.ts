// What a format of an export writes: a head, one piece for each message, an end. Pieces are written as they
// are made, so that the size of a session does not matter.
import { formatNumber } from '../model/format-number.ts'
import type { LabelFields } from '../model/label.ts'
import type { Message } from '../model/message.ts'
import type { ReadingEnd, SessionFacts } from '../model/reading.ts'
import type { Redacted } from './redact.ts'

export interface ExportHead extends LabelFields {
  agent: string
  agentTitle: string
  sessionId: string
  title: string | null
  project: string | null
  updatedAt: string
  isRedacted: boolean
  isPartial: boolean
}

export interface ExportEnd {
  isComplete: boolean
  /** What could not be read, as sentences. */
  missing: readonly string[]
  /** What the session says of itself, made when it is asked for. */
  facts(): SessionFacts
  /** How many messages were written. */
  messages: number
  /** What has been replaced so far. Absent without a redaction. */
  redacted?: Redacted
}

export interface ExportFormat {
  extension: string
  mime: string
  /** `number` counts from 1. */
  head(head: ExportHead): string
  message(message: Message, number: number, head: ExportHead): string
  end(end: ExportEnd, head: ExportHead): string
}

/** What is missing in a reading, as sentences. Empty for a complete one. */
export function missingIn(reading: ReadingEnd): string[] {
  const { findings, moreFindings } = reading
  const lost = findings.filter(({ severity }) => severity !== 'survived')
  if (reading.type === 'complete' && lost.length === 0) return []
  const places = lost.map(({ damage, at, text }) => {
    const place = 'table' in at ? `row ${at.row} of ${at.table}` : `bytes ${at.start} to ${at.end}`
    return `${damage}, ${place}: ${text}`
  })
  return [
    ...(reading.type === 'partial' ? [reading.error.text] : []),
    ...places,
    ...(moreFindings > 0 ? [`and ${formatNumber(moreFindings)} more places`] : []),
  ]
}
