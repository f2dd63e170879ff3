// Repair of a store in which each conversation is a folder of files, and some decisions need a person. An
// agent with such a store provides a Sanitizer.
import type { Environment } from './environment.ts'

export interface Sanitizer {
  /**
   * The agent's own variables that name an editor, the most specific first. They take precedence over the
   * common ones.
   */
  readonly editorVariables: readonly string[]
  /**
   * Examines everything before it changes anything. Never writes with `check`. Throws `not-found` if there is
   * no workspace.
   */
  run(options: SanitizeOptions): Promise<SanitizeReport>
  /** What a run would report about one conversation, and what it would ask. Changes nothing. */
  preview(options: PreviewOptions): Promise<Preview>
  /** Why the agent could not load bytes as the events of a conversation. Undefined for valid bytes. */
  validate(bytes: Buffer): Invalid | undefined
  trash: {
    /** Newest first. Includes the conversations that the agent itself moved there. */
    list(options: SanitizeContext): Promise<TrashedEntry[]>
    /**
     * Repairs the conversation in the trash and moves it back. A conversation that cannot be repaired stays
     * there and is reported as `lockedOut`. Throws `not-found`, `ambiguous-session`, and `unsupported` if a
     * conversation with its id exists again.
     */
    restore(options: TrashRestoreOptions): Promise<SanitizeReport>
  }
}

export interface SanitizeContext {
  environment: Environment
  /** rethread's state folder: receipts, and the flags that a person typed. */
  state: string
  /**
   * The search for the workspace starts here and goes upwards. The agent's data folder of a workspace stands
   * for that workspace.
   */
  folder: string
}

export interface SanitizeOptions extends SanitizeContext {
  mode: 'check' | 'repair'
  decide: Decider
  /**
   * Paths of conversation folders, or of files in them. No other conversation is examined or changed. If
   * absent, all are.
   */
  only?: readonly string[]
  /** Take the longest valid prefix of events if no person can be asked. */
  salvage?: boolean
  /**
   * Overrides the guard against trashing many at once, and continues where the agent's lock cannot be taken
   * on this system.
   */
  force?: boolean
  /**
   * Receives the empty report at the start. The run fills it, so it says what was done even if the run fails.
   */
  onBegin?(report: SanitizeReport): void
  /** Counted from zero in each phase. */
  onProgress?(done: number, total: number, phase: SanitizePhase): void
  /** Finished changes stay. No further change is started. */
  signal?: AbortSignal
}

export type SanitizePhase = 'examining' | 'repairing'

export interface PreviewOptions extends SanitizeContext {
  /** The folder of the conversation, or a file in it. */
  path: string
}

export interface Preview {
  /** The report of a check. */
  report: SanitizeReport
  /** In the order in which a run asks them. Questions about files assume the proposed name. */
  questions: Question[]
  /** A run moves the conversation, or a copy of it, to the trash without asking. */
  isTrashed: boolean
}

export type Question =
  | { type: 'name'; problem: NameProblem }
  | { type: 'events'; problem: EventsProblem }
  | { type: 'flags'; problem: FlagsProblem }

export interface TrashRestoreOptions extends SanitizeContext {
  /** The name from `list`, or the id of the conversation if only one in the trash has it. */
  name: string
  decide: Decider
  salvage?: boolean
  force?: boolean
}

/** Makes the decisions that need a person. The non-interactive one follows the fixed rules. */
export interface Decider {
  readonly isInteractive: boolean
  /** All problems that need a person, before the first question. Not called if there are none. */
  announce(problems: readonly Problem[]): Promise<void>
  name(problem: NameProblem): Promise<NameDecision>
  events(problem: EventsProblem): Promise<EventsDecision>
  flags(problem: FlagsProblem): Promise<FlagsDecision>
  /** Asks whether to trash more conversations than the guard allows. */
  mayTrashMany(count: number, total: number): Promise<boolean>
}

export interface Problem {
  /** The type of the question about it. */
  about: Question['type']
  /** The name of the conversation's folder. */
  conversation: string
  /** The storage that the conversation is in. */
  root: string
  /** The wrong file, or the folder's name if the name is wrong. */
  file: string
  path: string
  /** The problem, in the agent's own words if it has any. */
  text: string
}

/** A conversation whose folder has no id in its name. */
export interface NameProblem extends Problem {
  proposal: {
    name: string
    /** What the proposal was made from, as the end of a sentence. */
    source: string
  }
  /** Why a name cannot be used. Undefined for a valid one. */
  validate(name: string): string | undefined
}

export type NameDecision = { type: 'rename'; name: string } | { type: 'leave' } | { type: 'trash' }

export interface EventsProblem extends Problem {
  /** Counted from 1. The column counts bytes. */
  line: number
  column: number
  offset: number
  /** The surrounding lines, for display. */
  excerpt: string
  /** Empty if the file does not exist. */
  bytes: Buffer
  /** Single wrong events in a file that is valid as a whole. */
  elements: readonly ElementProblem[]
  /** The conversation is being restored from the trash. Undecided ones stay there. */
  isInTrash?: true
  /** A fix that makes the file loadable, if one is known. */
  suggestion?: Suggestion
  /** Why the bytes would not be loadable. Undefined for valid bytes. */
  validate(bytes: Buffer): Invalid | undefined
}

export interface ElementProblem {
  index: number
  start: number
  end: number
  text: string
}

export interface Suggestion {
  text: string
  bytes: Buffer
  /** From the first removed byte to the end of the last. Undefined if none is removed. */
  removed: ByteRange | undefined
  /** The exact bytes that would be removed. */
  removals: readonly ByteRange[]
}

export interface ByteRange {
  start: number
  end: number
}

export interface Invalid {
  text: string
  line: number
  column: number
}

export type EventsDecision =
  | { type: 'replace'; bytes: Buffer; by: 'editor' | 'suggestion' }
  | { type: 'leave' }
  | { type: 'trash' }

export interface FlagsProblem extends Problem {
  /** The answer of the last time, as the default. */
  remembered: string | undefined
  parse(line: string): FlagsResult
}

export type FlagsResult =
  | { type: 'delta'; argv: string[]; delta: Record<string, unknown>; notes: string[] }
  | { type: 'wrong'; text: string }

export type FlagsDecision = { type: 'flags'; result: Extract<FlagsResult, { type: 'delta' }> } | { type: 'skip' }

export interface SanitizeReport {
  repaired: ReportEntry[]
  trashed: ReportEntry[]
  /** Loadable, but without information that only a person could have given. */
  degraded: ReportEntry[]
  /** Could not be examined or changed. Nothing was moved. */
  blocked: ReportEntry[]
  /** The agent is working on it. */
  skipped: ReportEntry[]
  /** Neither repaired nor trashed, and the agent cannot load it. */
  lockedOut: ReportEntry[]
  /** Damaged and unchanged: by a person's choice, by the guard, or because the run was a check. */
  left: ReportEntry[]
  /** Sound and loaded unchanged, with something a person should know. */
  noticed: ReportEntry[]
  isInterrupted: boolean
  /** How many conversations were examined. */
  conversations: number
}

export interface ReportEntry {
  /** The name of the conversation's folder. */
  conversation: string
  /** The storage that the conversation is in. */
  root: string
  file?: string
  /** The whole line for a person. */
  line: string
  /** What a rebuilt file was made from. */
  source?: string
  /** A sentence for the person, shown once below the lines. */
  remark?: string
  /** Where the damaged file is now. */
  quarantine?: string
  /** Where the folder is now. */
  target?: string
  receipt?: string
  error?: string
}

export interface TrashedEntry {
  name: string
  path: string
  trashedAt: string | undefined
  error: string | undefined
  /** Whether rethread moved it there, and not the agent. */
  isOurs: boolean
}
