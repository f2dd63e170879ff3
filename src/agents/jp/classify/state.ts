// The state of one file of a conversation. A check assigns exactly
// one condition; a repair depends on nothing else.
import type { ErrorCode } from '../../../model/errors.ts'
import type { ManagedFile } from '../names.ts'

export type Condition =
  | { type: 'healthy' }
  | { type: 'missing' }
  /** No bytes, or only white space. */
  | { type: 'empty'; fault: JsonProblem }
  /** Not JSON. JP trashes the conversation. */
  | { type: 'invalid-json'; fault: JsonProblem }
  /** Not JSON, because the file is cut. */
  | { type: 'truncated'; fault: JsonProblem }
  /** JSON with missing or wrong fields. */
  | { type: 'wrong-shape'; faults: ShapeFault[]; more: number }
  /** JSON by its structure, with a value that cannot be read. JP does not trash it and cannot load it. */
  | { type: 'invalid-utf8' | 'lone-surrogate' | 'too-deep' | 'number-out-of-range'; fault: JsonProblem }
  /**
   * The file cannot be examined: no permission, a failing disk, a circular link. Nothing may be changed
   * because of it.
   */
  | { type: 'blocked'; code: ErrorCode; text: string; hint: string }
  | { type: 'is-a-directory' }
  /** Never opened. */
  | { type: 'not-a-regular-file'; kind: 'fifo' | 'socket' | 'device' }
  | { type: 'link-dangling'; target: string }
  /** A link out of the storage root, to something that JP cannot load. */
  | { type: 'link-outside'; target: string; real: string }
  /** A link inside the root to a file that is not healthy. */
  | { type: 'link-to-bad'; target: string; found: Condition }
  | { type: 'too-large'; limit: number }

type ConditionName = Condition['type']

export interface ShapeFault {
  /** Such as `last_activated_at`, `assistant.model.id` or `[3].arguments`; empty for the whole document. */
  path: string
  text: string
  /** The event with the fault, in events.json. */
  element?: { index: number; start: number; end: number }
  /**
   * JP's validator reports the fault too and trashes the conversation. Otherwise the conversation stays and
   * cannot be loaded.
   */
  isSeenByValidator: boolean
}

export interface FileState {
  file: ManagedFile
  path: string
  condition: Condition
  /** The file is a link. Worth a notice if the file is healthy. */
  linkTarget?: string
  /**
   * The mark before the file was opened, or that of the link itself. Absent if nothing exists or it is
   * not known.
   */
  mark?: FileMark
}

/** Shows right before a change that the file is still the same. */
export interface FileMark {
  device: string
  inode: string
  size: number
  mtimeNs: bigint
  mode: number
}

/** JP can load the file. It may be a link. */
export function isHealthy({ condition }: FileState): boolean {
  return condition.type === 'healthy'
}

/** There is a regular file or a link to one, which JP calls `is_file`. */
export function isThere({ condition }: FileState): boolean {
  switch (condition.type) {
    case 'missing':
    case 'is-a-directory':
    case 'not-a-regular-file':
    case 'link-dangling':
      return false
    case 'link-to-bad':
      return condition.found.type !== 'is-a-directory' && condition.found.type !== 'not-a-regular-file'
    default:
      return true
  }
}

/** Nothing may be changed because of this file. */
export function isBlocked({ condition }: FileState): boolean {
  return BLOCKED.has(condition.type)
}

const BLOCKED = new Set<ConditionName>(['blocked', 'not-a-regular-file', 'too-large'])

export type FaultKind = 'syntax' | 'end' | 'utf8' | 'surrogate' | 'depth' | 'number'

export interface JsonProblem {
  kind: FaultKind
  what: string
  /** Counted from 1. */
  line: number
  /** In bytes, counted from 1. The byte at `offset` is included. */
  column: number
  /** The offset in the file, or the size of the file if it is cut. */
  offset: number
}

/** The wording of JP, such as `trailing comma at line 1 column 27`. */
export function faultText({ what, line, column }: JsonProblem): string {
  return `${what} at line ${line} column ${column}`
}

export interface JsonScanned {
  /** The first error of the structure. Every parser stops here. */
  fault: JsonProblem | undefined
  /** The first error of each kind that only a reader of the values finds. Complete only without a `fault`. */
  soft: JsonProblem[]
  /** The bytes are only white space. */
  isBlank: boolean
}

const SOFT: Partial<Record<FaultKind, SoftName>> = {
  utf8: 'invalid-utf8',
  surrogate: 'lone-surrogate',
  depth: 'too-deep',
  number: 'number-out-of-range',
}
type SoftName = 'invalid-utf8' | 'lone-surrogate' | 'too-deep' | 'number-out-of-range'

/** Returns undefined for JSON without errors. */
export function conditionOf({ fault, soft, isBlank }: JsonScanned): Condition | undefined {
  if (fault !== undefined) {
    if (isBlank) return { type: 'empty', fault }
    return { type: fault.kind === 'end' ? 'truncated' : 'invalid-json', fault }
  }
  const [first] = soft.toSorted((a, b) => a.offset - b.offset)
  if (first === undefined) return undefined
  const type = SOFT[first.kind]
  return type === undefined ? { type: 'invalid-json', fault: first } : { type, fault: first }
}
