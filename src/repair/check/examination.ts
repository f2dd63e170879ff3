// What looking closely at one session gives: what is wrong, what would be done about it, and what the agent would load before and after.

import type { StoreRepair } from '../../agents/repair.ts'
import type { Traits } from '../../agents/store.ts'
import type { Finding } from '../../model/finding.ts'
import type { Change, Refusal } from '../../model/plan.ts'
import type { Reading } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Loads, NotLoaded } from '../../model/verdict.ts'
import type { Damage } from '../damage/damage.ts'

export interface Examination {
  findings: Finding[]
  moreFindings: number
  /** In the coordinates of the files as they are. */
  changes: Change[]
  refusals: Refusal[]
  loads: Loads
  chainDepth: number
  orphanCount: number
  messageCount: number
  /** For `Verdict.notLoaded` and `Verdict.sent`. */
  notLoaded?: NotLoaded[]
  sent?: Loads
  /** For `Verdict.mendedBy`. */
  mendedBy?: string
}

export interface ExamineOptions {
  /** Somebody may still be writing: an unfinished end is no damage. */
  isLive: boolean
  installedVersion?: string
  /** Reads the session as a person sees it; without it, that is not compared with what a resume loads. */
  read?: () => Reading
  /** Where the index of a long log is kept from check to check; without it, none is. */
  keeping?: { state: string; fromBytes: number }
}

/** One of these for each framing. Reads only; throws what makes a session unreadable (not found, no permission, busy). */
export type Examine<Framing extends StoreRepair['framing']> = (
  session: SessionRef,
  traits: Traits,
  repair: Extract<StoreRepair, { framing: Framing }>,
  damages: readonly Extract<Damage, { framing: Framing }>[],
  options: ExamineOptions,
) => Promise<Examination>
