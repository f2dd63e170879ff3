// Repairing a store in which each conversation is a folder of files, some of which only a person can decide about. An agent that has such a store offers one of these.
import type { Environment } from './environment.ts'

export interface Sanitizer {
  /** Variables of its own that name an editor, the most particular first. They come before those that every program knows. */
  readonly editorVariables: readonly string[]
  /** Everything is examined before anything is changed. Never writes with `check`. Throws `not-found` where there is no workspace. */
  run(options: SanitizeOptions): Promise<SanitizeReport>
  /** What a run would tell of one conversation, and ask about it. Changes nothing. */
  preview(options: PreviewOptions): Promise<Preview>
  /** Why bytes would not be loadable as the events of a conversation; undefined for good ones. */
  validate(bytes: Buffer): Invalid | undefined
  trash: {
    /** Newest first; also what the agent itself has put there. */
    list(options: Place): Promise<TrashedEntry[]>
    /** Repairs it in the trash and moves it back; what cannot be repaired stays there and is `lockedOut`. Throws `not-found`, `ambiguous-session`, and `unsupported` where a conversation of its id lives again. */
    restore(options: RestoreOptions): Promise<SanitizeReport>
  }
}

export interface Place {
  environment: Environment
  /** Our own folder: receipts, and the flags that a person typed. */
  state: string
  /** The workspace is looked for from here upwards. The folder that the agent keeps of a workspace in the user's data is taken for that workspace. */
  folder: string
}

export interface SanitizeOptions extends Place {
  mode: 'check' | 'repair'
  decide: Decider
  /** Paths of folders of conversations, or of files in them: no other conversation is examined or changed. All, where absent. */
  only?: readonly string[]
  /** Take the longest valid prefix of events where nobody can be asked. */
  salvage?: boolean
  /** Past the guard against trashing much at once, and where the agent's lock cannot be taken on this system. */
  force?: boolean
  /** The report, empty yet: it is filled while the run goes on, and tells what was done where the run ends in a fault. */
  onBegin?(report: SanitizeReport): void
  /** Counted again in each phase. */
  onProgress?(done: number, total: number, phase: SanitizePhase): void
  /** What is finished stays; nothing further is begun. */
  signal?: AbortSignal
}

export type SanitizePhase = 'examining' | 'repairing'

export interface PreviewOptions extends Place {
  /** The folder of the conversation, or a file in it. */
  path: string
}

export interface Preview {
  /** Of a check. */
  report: SanitizeReport
  /** In the order in which a run asks them; those about its files as if the proposed name were taken. */
  questions: Question[]
  /** A run puts it into the trash, or a copy of it, without asking. */
  isTrashed: boolean
}

export type Question =
  | { type: 'name'; problem: NameProblem }
  | { type: 'events'; problem: EventsProblem }
  | { type: 'flags'; problem: FlagsProblem }

export interface RestoreOptions extends Place {
  /** As `list` gives it, or the id of the conversation where only one in the trash has it. */
  name: string
  decide: Decider
  salvage?: boolean
  force?: boolean
}

/** Who decides where a person must. The non-interactive one answers by the table alone. */
export interface Decider {
  readonly isInteractive: boolean
  /** All problems that need a person, before the first is asked. Not called where there is none. */
  announce(problems: readonly Problem[]): Promise<void>
  name(problem: NameProblem): Promise<NameDecision>
  events(problem: EventsProblem): Promise<EventsDecision>
  flags(problem: FlagsProblem): Promise<FlagsDecision>
  /** More would be trashed than the guard allows. */
  mayTrashMany(count: number, total: number): Promise<boolean>
}

export interface Problem {
  /** Which question is asked about it. */
  about: Question['type']
  /** The name of its folder. */
  conversation: string
  /** The storage that it is in. */
  root: string
  /** Where it is the name of the folder that is wrong, that name. */
  file: string
  path: string
  /** What is wrong, in the agent's own words where it has any. */
  text: string
}

/** A conversation whose folder has no id in its name. */
export interface NameProblem extends Problem {
  proposal: {
    name: string
    /** What it is made of, as the end of a sentence. */
    source: string
  }
  /** Why a name cannot be taken; undefined for a good one. */
  validate(name: string): string | undefined
}

export type NameDecision = { type: 'rename'; name: string } | { type: 'leave' } | { type: 'trash' }

export interface EventsProblem extends Problem {
  /** Counted from 1; the column in bytes. */
  line: number
  column: number
  offset: number
  /** The surrounding lines, for showing. */
  excerpt: string
  /** Empty where there is no such file. */
  bytes: Buffer
  /** Single events that are wrong, where the file as a whole is not. */
  elements: readonly ElementProblem[]
  /** It is to come back from there; what is not decided stays in it. */
  isInTrash?: true
  /** A fix that makes it loadable, where one is known. */
  suggestion?: Suggestion
  /** Why bytes would not be loadable; undefined for good ones. */
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
  /** From the first byte that would go to behind the last; undefined where none goes. */
  removed: ByteRange | undefined
  /** Exactly what would go. */
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
  /** From the last time, to fill in. */
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
  /** Loadable, but without something that only a person could have told. */
  degraded: ReportEntry[]
  /** Could not be examined or changed. Nothing was moved. */
  blocked: ReportEntry[]
  /** The agent itself is at work on it. */
  skipped: ReportEntry[]
  /** Neither repaired nor trashed, and the agent cannot load it. */
  lockedOut: ReportEntry[]
  /** Damaged, and left as it is: by a person's choice, by the guard, or because this was only a check. */
  left: ReportEntry[]
  /** Sound, and loaded as it is; a person should know of it all the same. */
  noticed: ReportEntry[]
  isInterrupted: boolean
  /** How many were examined. */
  conversations: number
}

export interface ReportEntry {
  /** The name of its folder. */
  conversation: string
  /** The storage that it is in. */
  root: string
  file?: string
  /** The whole line for a person. */
  line: string
  /** What a rebuilt file was made of. */
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
  /** Put there by us, and not by the agent. */
  isOurs: boolean
}
