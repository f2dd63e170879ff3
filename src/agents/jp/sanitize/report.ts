// The report of one run, filled line by line. The words are those of the design that this follows.
import type { ReportEntry, SanitizeReport } from '../../sanitizer.ts'
import type { ConversationFolder } from '../conversations.ts'

export type Bucket = Exclude<keyof SanitizeReport, 'isInterrupted' | 'conversations'>

export function emptyReport(): SanitizeReport {
  return {
    repaired: [],
    trashed: [],
    degraded: [],
    blocked: [],
    skipped: [],
    lockedOut: [],
    left: [],
    isInterrupted: false,
    conversations: 0,
  }
}

const WORDS: Record<Bucket, string> = {
  repaired: 'Repaired',
  trashed: 'Trashed corrupt',
  degraded: 'Degraded',
  blocked: 'Blocked',
  skipped: 'Skipped',
  lockedOut: 'Locked-out',
  left: 'Left damaged',
}

export function entryFor(
  bucket: Bucket,
  { name, root }: Pick<ConversationFolder, 'name' | 'root'>,
  text: string,
  more: Partial<ReportEntry> = {},
): ReportEntry {
  return { conversation: name, root: root.path, line: `${WORDS[bucket]} conversation ${name}: ${text}`, ...more }
}
