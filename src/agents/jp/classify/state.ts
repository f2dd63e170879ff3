// What a check says of each file of a conversation: exactly one state. A repair decides by it, and by nothing else.
import type { ErrorCode } from '../../../model/errors.ts'
import type { ManagedFile } from '../names.ts'
import type { JsonFault } from './fault.ts'

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

export type ConditionName = Condition['type']

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
