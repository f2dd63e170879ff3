// The report of one run, filled line by line. The words are those of the design that this follows.
import { quote } from '../../../disk/files/system-errors.ts'
import type { ReportEntry, SanitizeReport } from '../../sanitizer.ts'
import type { ConversationFolder } from '../conversations.ts'
import { TRASHED } from '../names.ts'
import { restoreCommand, workspaceArgument } from '../receipt-place.ts'

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
    noticed: [],
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
  noticed: 'Noticed in',
}

/** What a person can do about it, where it is the same for all. */
const REMARKS: Partial<Record<Bucket, string>> = {
  blocked: 'Nothing that is blocked was moved or changed. Fix what it names, then run',
  skipped: 'While another program uses a conversation, it is not changed. When that has ended, run',
}

export function entryFor(
  bucket: Bucket,
  folder: Pick<ConversationFolder, 'name' | 'root'> & { place?: ConversationFolder['place'] },
  text: string,
  more: Partial<ReportEntry> = {},
): ReportEntry {
  const { name, root } = folder
  const line = `${WORDS[bucket]} conversation ${name}: ${text}`
  const words = REMARKS[bucket]
  const remark = words === undefined ? {} : { remark: `${words}: ${commandFor(folder)}` }
  return { conversation: name, root: root.path, line, ...remark, ...more }
}

function commandFor({ name, root: { path }, place }: Parameters<typeof entryFor>[1]): string {
  return place === TRASHED ? restoreCommand(path, name) : `rethread sanitize ${quote(workspaceArgument(path))}`
}
