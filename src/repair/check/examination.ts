// The result of examining one session: what is wrong, what a repair would change, and what the agent would
// load before and after.

import type { StoreRepair } from '../../agents/repair.ts'
import type { Traits } from '../../agents/store.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import type { Finding } from '../../model/finding.ts'
import type { Change, Refusal } from '../../model/plan.ts'
import type { Reading } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Loads, NotLoaded } from '../../model/verdict.ts'
import type { Damage } from '../damage/damage.ts'
import type { WholeSum } from '../scan/scan-in-threads.ts'

export interface Examination {
  findings: Finding[]
  moreFindings: number
  /** In byte offsets of the files as they are now. */
  changes: Change[]
  refusals: Refusal[]
  loads: Loads
  chainDepth: number
  orphanCount: number
  messageCount: number
  /** The project folder, where the whole session was read and says it. */
  project?: string | undefined
  /** For the fields of `Verdict` with these names. */
  notLoaded?: NotLoaded[]
  copies?: number
  sent?: Loads
  /** For `Verdict.mendedBy`. */
  mendedBy?: string
  /** What a check finds once the changes are made, if the log then is healthy and has exactly these bytes. */
  afterwards?: { found: Examination; sum: WholeSum }
}

export interface ExamineOptions {
  /** The agent may still be writing: an incomplete end is not damage. */
  isLive: boolean
  installedVersion?: string
  /**
   * Reads the session as a person sees it. Without it, the reading is not compared with what a resume loads.
   */
  read?: () => Reading
  /** Where the index of a long log is cached between checks. Without it, no index is cached. */
  indexCache?: { state: string; fromBytes: number }
  /** The log, opened just now. The caller closes it. */
  file?: OpenFile | undefined
  /** Called with the open file of a log, before it is scanned. */
  onOpen?(file: OpenFile): void
  /** Called once, when an edit of a log is expected and the rest is still to be examined. */
  onEdit?(): void
}

/**
 * One function for each framing. It only reads. It throws errors that make a session unreadable (not found,
 * no permission, busy).
 */
export type Examine<Framing extends StoreRepair['framing']> = (
  session: SessionRef,
  traits: Traits,
  repair: Extract<StoreRepair, { framing: Framing }>,
  damages: readonly Extract<Damage, { framing: Framing }>[],
  options: ExamineOptions,
) => Promise<Examination>
