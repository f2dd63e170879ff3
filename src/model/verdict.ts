// The result of a check and the result of a repair, as `check --json` and `repair --json` print them.
import type { Finding } from './finding.ts'

export type Status = 'healthy' | 'corrupted' | 'missing' | 'unreadable' | 'busy'

/** How many of the shown messages the agent's own resume would load. */
export interface Loads {
  now: number
  afterRepair: number
}

/** Messages that are shown but that a resume rightly leaves out. */
export interface NotLoaded {
  /** Summarised by a compaction, rewound by the person, or without content that the agent sends again. */
  reason: 'compaction' | 'rewind' | 'left-out'
  messages: number
  /** When: ISO 8601. */
  at?: string
}

export interface Reason {
  code: string
  text: string
  hint: string
  /**
   * For `busy`: after this long without a change, the session counts as finished. Absent if a process is
   * known to be working on it.
   */
  retryAfterMs?: number
}

/**
 * Information for the person that is not damage of the session. It is not cached with the verdict, because it
 * changes independently.
 */
export interface Note {
  code: 'project-folder-gone'
  text: string
  hint: string
  /** What rethread can do about it when the session is resumed. */
  offers: ('make-folder' | 'other-folder')[]
}

export interface Verdict {
  agent: string
  sessionId: string
  filePath: string
  status: Status
  /** The number of records from the last message back to a root, or to the break. */
  chainDepth: number
  /** Messages whose parent is not in the file. */
  orphanCount: number
  /** The same number as in `list` and `show`. */
  messageCount: number
  fileSize: number
  loads: Loads
  /** Why `loads.now` is less than `messageCount` in a healthy session. */
  notLoaded?: NotLoaded[]
  /** Shown messages that are copies of others. A repair removes them, and nothing is missing afterwards. */
  copies?: number
  /** How many messages the agent would send to the model, if it joins neighbours and `loads` differs. */
  sent?: Loads
  findings: Finding[]
  moreFindings: number
  /** Why the status is `busy`, `missing` or `unreadable`, and what to do. */
  reason?: Reason
  /** Problems that are left alone, with the reason. */
  refusals: { damage: string; text: string }[]
  /** The command that repairs it, if it is not the usual one. The hint of each finding has it in full. */
  mendedBy?: string
  notes?: Note[]
}

export interface RepairReport {
  status: 'repaired' | 'already_healthy' | 'failed' | 'refused'
  backupPath?: string
  /** The receipt's id: `rethread undo ID`. */
  receipt?: string
  orphansFixed: number
  newChainDepth: number
  edits: number
  error?: Reason
}

/** False if the result can change at any moment: a busy session, or one that could not be read. */
export function isExamined({ status }: Pick<Verdict, 'status'>): boolean {
  return status === 'healthy' || status === 'corrupted'
}
