// The flags of a record in the index, and its kind above them.
import type { RecordFacts, RecordKind } from './record-facts.ts'
import { RECORD_KINDS } from './record-facts.ts'

export const WHOLE = 1
export const SIDECHAIN = 2
export const USER = 4
export const ASSISTANT = 8
export const SUSPECT = 16
export const META = 32
export const SUPERSEDED = 64
export const NAMES_PARENT = 128
export const HAS_ID = 256
export const ONLY_THINKING = 512
export const REFUSED = 1024
export const UNUSED_ID = 2048
/** The kind is stored above the flags. */
export const KIND_SHIFT = 12
export const KIND = 0xf000

export function kindFlag(kind: RecordKind): number {
  return RECORD_KINDS.indexOf(kind) << KIND_SHIFT
}

/** The flags of a record, and its kind above them. */
export function flagsOf(isWhole: boolean, facts: RecordFacts): number {
  return (
    (RECORD_KINDS.indexOf(facts.kind) << KIND_SHIFT) |
    (isWhole ? WHOLE : 0) |
    (facts.sidechain === true ? SIDECHAIN : 0) |
    (facts.role === 'user' ? USER : 0) |
    (facts.role === 'assistant' ? ASSISTANT : 0) |
    (facts.suspect === true ? SUSPECT : 0) |
    (facts.onlyThinking === true ? ONLY_THINKING : 0) |
    (facts.meta === true ? META : 0) |
    (facts.refused === true ? REFUSED : 0) |
    (facts.hasUnusedId === true ? UNUSED_ID : 0) |
    (typeof facts.parent === 'string' ? NAMES_PARENT : 0) |
    (facts.id === undefined ? 0 : HAS_ID)
  )
}
