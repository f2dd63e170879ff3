// The state that the parts of one run share: the options, the report, and the names of quarantined files.

import { basename, dirname, join } from 'node:path'
import { statIfThere } from '../../../disk/files/handles.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import type { ReportEntry, SanitizeOptions, SanitizeReport } from '../../sanitizer.ts'
import type { ConversationFolder } from '../conversations.ts'
import { TRASHED } from '../names.ts'
import { trashRestoreLine, workspaceArgument } from '../receipts.ts'
import type { Workspace } from '../roots.ts'
import type { Donor } from './config-sources.ts'

export interface SanitizeJob {
  workspace: Workspace
  options: Pick<SanitizeOptions, 'environment' | 'state' | 'decide' | 'salvage' | 'force' | 'signal'>
  /** Conversations whose base config can replace a lost one. */
  donors: readonly Donor[]
  report: SanitizeReport
  quarantine: Quarantine
}

export function makeSanitizeJob(parts: Omit<SanitizeJob, 'quarantine'>): SanitizeJob {
  return { ...parts, quarantine: new Quarantine() }
}

type Bucket = Exclude<keyof SanitizeReport, 'isInterrupted' | 'conversations'>

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

/** What the user can do, for the kinds of entries where it is always the same. */
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
  return place === TRASHED ? trashRestoreLine(path, name) : `rethread sanitize ${quote(workspaceArgument(path))}`
}

/**
 * Names for damaged files that are set aside in the conversation's folder, such as
 * `metadata.corrupted.20260415T120000123Z.json`. A name is never returned twice, even if its file does not
 * exist yet.
 */
export class Quarantine {
  readonly #taken = new Set<string>()

  nameFor(path: string, isFolder: boolean, now = new Date()): string {
    const stem = basename(path, '.json')
    const start = join(dirname(path), `${stem}.corrupted.${stampOf(now)}`)
    for (let count = 0; ; count++) {
      const name = `${start}${count === 0 ? '' : `-${count}`}.${isFolder ? 'd' : 'json'}`
      if (this.#taken.has(name) || statIfThere(name) !== undefined) continue
      this.#taken.add(name)
      return name
    }
  }
}

/** UTC with milliseconds, without characters that Windows does not allow in a name. */
export function stampOf(time: Date): string {
  return time.toISOString().replaceAll(/[-:.]/g, '')
}
