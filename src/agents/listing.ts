// What a store knows of its agent's own list of sessions: which sessions the list shows, in
// which folder, why it omits one, and the changes that bring it back. Types and small
// helpers only. Shared code never names an agent.
import type { CopyIn, Move } from '../disk/vault/steps/step.ts'
import type { Change } from '../model/plan.ts'
import type { SessionRef } from '../model/session.ts'
import type { UnlistedReason } from '../model/unlisted.ts'
import type { Environment } from './environment.ts'
import type { Location } from './store.ts'

/** Loaded with the first question. A store without it is not judged. */
export interface StoreListing {
  /** Examines all sessions of one location at once. Changes nothing. */
  inspect(place: ListedPlace): Promise<Inspection>
  /**
   * The changes after which the agent lists in `move.to` what it listed in `move.from`, for the folder and
   * everything below it. Empty where no session is concerned. Whether the folders exist does not matter.
   */
  planMove(place: ListedPlace, move: FolderMove): Promise<ListingPlan>
  /** Sessions of the store that the agent may lose: versions with known bugs, sizes that it cannot load. */
  risks?(sessions: readonly SessionRef[], environment: Environment): Risk[]
}

export interface Risk {
  kind: 'too-large' | 'known-bug'
  text: string
  evidence: string[]
  sessions: readonly SessionRef[]
}

export interface ListedPlace {
  location: Location
  environment: Environment
  /** Every session that `discover` gave for the location, subagents too, in any of the agent's stores. */
  sessions: readonly SessionRef[]
}

/** Absolute paths without a separator at the end. */
export interface FolderMove {
  from: string
  to: string
}

export interface Inspection {
  /** Sessions that are not in the map are not judged: subagents, and sessions without a conversation. */
  states: Map<SessionRef, ListedState>
  problems: ListingProblem[]
  /** Index entries without a session. */
  stale: StaleEntries[]
  /** Indexes that cannot be read while the agent lists its sessions all the same. */
  broken?: BrokenIndex[]
}

export interface BrokenIndex {
  file: string
  /** What is wrong with it, and what the agent does about it. */
  text: string
}

export interface ListedState {
  /** The folder in which the agent lists it, or would list it. Undefined if it is not known. */
  folder: string | undefined
  /** Why the list omits it. Undefined if the list shows it. */
  reason?: UnlistedReason
  /** The git repository of the folder, if the session recorded it. */
  git?: GitFacts
}

/** What identifies a repository wherever it is. */
export interface GitFacts {
  remote?: string | undefined
  rootCommit?: string | undefined
  /** A commit that the repository has. */
  commit?: string | undefined
}

/** One cause, and every session that it hides. */
export interface ListingProblem {
  reason: UnlistedReason
  sessions: readonly SessionRef[]
  /** What is wrong, with the file: one sentence for all of the sessions. */
  text: string
  evidence: string[]
  /** The changes that make the agent list these of the sessions. */
  plan(sessions: readonly SessionRef[]): Promise<ListingPlan>
  /** Why rethread does not change it, and what to do instead. `plan` is not called then. */
  refused?: string
  /** What the person may have wanted: it is shown, and changed only if the session is named. */
  isDeliberate?: boolean
  /** The installed version finds the sessions all the same, and others do not. */
  isOnlyRisk?: boolean
}

export interface StaleEntries {
  file: string
  count: number
  text: string
}

export interface ListingPlan {
  changes: ListingChange[]
  /** Changes that need every process of the agent to be closed: it would write its own state over them. */
  whenClosed?: ListingChange[]
  /** What was left as it is, and why. */
  notes: string[]
}

export type ListingChange = Change | CopyIn | Move

/** The name of the damage in receipts. */
export const UNLISTED = 'unlisted'

/**
 * The path after the move; undefined for a path that is neither the folder nor below it. Paths of Windows are
 * compared without case, with either separator, and get the separators of the new folder's system.
 */
export function movedPath(path: string, { from, to }: FolderMove): string | undefined {
  const isWindows = isWindowsPath(from)
  const fold = (text: string): string => (isWindows ? text.replaceAll('/', '\\').toLowerCase() : text)
  if (!fold(path).startsWith(fold(from))) return undefined
  const rest = path.slice(from.length)
  const isBorder = (character: string): boolean => character === '/' || (isWindows && character === '\\')
  if (rest !== '' && !isBorder(rest.charAt(0)) && !isBorder(from.charAt(from.length - 1))) return undefined
  if (isWindows === isWindowsPath(to)) return to + rest
  return to + (isWindows ? rest.replaceAll('\\', '/') : rest.replaceAll('/', '\\'))
}

export function isWindowsPath(path: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path)
}
