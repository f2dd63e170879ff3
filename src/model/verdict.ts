// What a check says of a session, and what a repair did. The shapes that `check --json` and `repair --json` print.
import type { Finding } from './finding.ts'

export type Status = 'healthy' | 'corrupted' | 'missing' | 'unreadable' | 'busy'

/** How many of the messages that a person sees the agent's own resume would load. */
export interface Loads {
  now: number
  afterRepair: number
}

/** Messages that are shown and that a resume leaves out, where that is as it should be. */
export interface NotLoaded {
  /** Summarised by a compaction; taken back by the person; nothing in it that the agent sends again. */
  reason: 'compaction' | 'rewind' | 'left-out'
  messages: number
  /** When: ISO 8601. */
  at?: string
}

export interface Reason {
  code: string
  text: string
  hint: string
  /** Of `busy`: so long without another change, and the session counts as finished. Absent where a process is known to be at work. */
  retryAfterMs?: number
}

/** What a person should know that is not damage of the session itself. It is not remembered with the verdict, as it changes by itself. */
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
  /** From the last message back to a root, or to where the chain breaks. */
  chainDepth: number
  /** Messages whose parent is nowhere in the file. */
  orphanCount: number
  /** As many as `list` and `show` say. */
  messageCount: number
  fileSize: number
  loads: Loads
  /** Why `loads.now` is less than `messageCount` in a healthy session. */
  notLoaded?: NotLoaded[]
  /** How many messages the agent would send to the model, where it joins neighbours and `loads` differs. */
  sent?: Loads
  findings: Finding[]
  moreFindings: number
  /** Why the status is `busy`, `missing` or `unreadable`, and what to do. */
  reason?: Reason
  /** What is wrong and is left alone, with the reason. */
  refusals: { damage: string; text: string }[]
  /** The command that repairs it, where that is not the one for all; the hint of each finding has it in full. */
  mendedBy?: string
  notes?: Note[]
}

export interface RepairReport {
  status: 'repaired' | 'already_healthy' | 'failed' | 'refused'
  backupPath?: string
  /** Its id: `rethread undo ID`. */
  receipt?: string
  orphansFixed: number
  newChainDepth: number
  edits: number
  error?: Reason
}

/** False where nothing lasting can be said: a busy session can be another a moment later, and what could not be read may become readable. */
export function isExamined({ status }: Verdict): boolean {
  return status === 'healthy' || status === 'corrupted'
}
