// The state of one file of a conversation. A check assigns exactly one condition; a repair depends on nothing else.
import type { ErrorCode } from '../../../model/errors.ts'
import type { ManagedFile } from '../names.ts'

export type Condition =
  | { type: 'healthy' }
  | { type: 'missing' }
  /** No bytes, or nothing but white space. */
  | { type: 'empty'; fault: JsonFault }
  /** No JSON: JP trashes the conversation for it. */
  | { type: 'invalid-json'; fault: JsonFault }
  /** No JSON because it ends too early. */
  | { type: 'truncated'; fault: JsonFault }
  /** JSON, but not what belongs here. */
  | { type: 'wrong-shape'; faults: ShapeFault[]; more: number }
  /** JSON by its structure; whoever reads the values stumbles. JP does not trash it, and cannot load it. */
  | { type: 'invalid-utf8' | 'lone-surrogate' | 'too-deep' | 'number-out-of-range'; fault: JsonFault }
  /** Nobody can say what is in it: no permission, a failing disk, a link in a circle. Never a reason to change anything. */
  | { type: 'blocked'; code: ErrorCode; text: string; hint: string }
  | { type: 'is-a-directory' }
  /** Never opened. */
  | { type: 'not-a-regular-file'; kind: 'fifo' | 'socket' | 'device' }
  | { type: 'link-dangling'; target: string }
  /** Leads out of the storage root; not followed. */
  | { type: 'link-outside'; target: string; real: string }
  /** Stays inside, but what it leads to is no good. */
  | { type: 'link-to-bad'; target: string; found: Condition }
  | { type: 'too-large'; limit: number }

type ConditionName = Condition['type']

export interface ShapeFault {
  /** `last_activated_at`, `assistant.model.id`, `[3].arguments`; empty for the whole. */
  path: string
  text: string
  /** Of the event it is in, for `events.json`. */
  element?: { index: number; start: number; end: number }
  /** JP's own validator sees it too, and trashes the conversation; without it, the conversation stays and cannot be loaded. */
  isSeenByValidator: boolean
}

export interface FileState {
  file: ManagedFile
  path: string
  condition: Condition
  /** A link to a file of the same root; worth a warning where the condition is healthy. */
  linkTarget?: string
  /** As it was before it was opened; of a link, of the link itself. Absent where nothing is there, or where that cannot be known. */
  identity?: FileMark
}

/** To see right before a change that it is still the same file. */
export interface FileMark {
  device: string
  inode: string
  size: number
  mtimeNs: bigint
  mode: number
}

/** JSON that JP loads; a link to such a file counts. */
export function isHealthy({ condition }: FileState): boolean {
  return condition.type === 'healthy'
}

/** There is a regular file, or a link to one: what JP calls `is_file`. */
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

/** Nothing may be changed on account of it. */
export function isBlocked({ condition }: FileState): boolean {
  return BLOCKED.has(condition.type)
}

const BLOCKED = new Set<ConditionName>(['blocked', 'not-a-regular-file', 'too-large'])

export type FaultKind = 'syntax' | 'end' | 'utf8' | 'surrogate' | 'depth' | 'number'

export interface JsonFault {
  kind: FaultKind
  what: string
  /** Counted from 1. */
  line: number
  /** In bytes; the byte at the offset is the last that counts. */
  column: number
  /** In the file; its size where the bytes ended too early. */
  offset: number
}

/** `trailing comma at line 1 column 27`, as JP says it. */
export function faultText({ what, line, column }: JsonFault): string {
  return `${what} at line ${line} column ${column}`
}

export interface JsonScanned {
  /** Every reader stops here. */
  fault: JsonFault | undefined
  /** The first of each kind that only a reader of the values stumbles over. Complete only where there is no `fault`. */
  soft: JsonFault[]
  /** Nothing but white space. */
  isBlank: boolean
  size: number
}

const SOFT: Partial<Record<FaultKind, SoftName>> = {
  utf8: 'invalid-utf8',
  surrogate: 'lone-surrogate',
  depth: 'too-deep',
  number: 'number-out-of-range',
}
type SoftName = 'invalid-utf8' | 'lone-surrogate' | 'too-deep' | 'number-out-of-range'

/** Undefined where it is JSON that can be read to the last value. */
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
