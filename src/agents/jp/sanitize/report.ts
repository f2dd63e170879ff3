// The report of one run, filled line by line. The words are those of the design that this follows.
import { dirname } from 'node:path'
import { quote } from '../../../disk/errors.ts'
import type { ReportEntry, SanitizeReport } from '../../sanitizer.ts'
import type { ConversationFolder } from '../conversations.ts'
import type { Root } from '../roots.ts'

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
  blocked: 'Nothing of what is blocked was moved or changed. Put right what is said of it, then run',
  skipped: 'As long as another program is at work on a conversation, nothing of it is changed. When it has ended, run',
}

export function entryFor(
  bucket: Bucket,
  { name, root }: Pick<ConversationFolder, 'name' | 'root'>,
  text: string,
  more: Partial<ReportEntry> = {},
): ReportEntry {
  const line = `${WORDS[bucket]} conversation ${name}: ${text}`
  const words = REMARKS[bucket]
  const remark = words === undefined ? {} : { remark: `${words}: rethread sanitize ${quote(folderOf(root))}` }
  return { conversation: name, root: root.path, line, ...remark, ...more }
}

/** The storage in the user's data stands for its workspace, which need not be there any more. */
function folderOf({ kind, path }: Root): string {
  return kind === 'workspace' ? dirname(path) : path
}
