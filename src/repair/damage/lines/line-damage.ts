// What one kind of broken line declares: how it is recognised, what readers and checks say of it, what repairs it, and how a test breaks a line like
// that. Nothing here knows an agent, so that the readers of all agents can use it.
import type { LineKind } from '../../../bytes/records.ts'
import type { Severity } from '../../../model/finding.ts'
import type { RecordIndex } from '../../records/record-index.ts'

export interface LineDamage extends LineKind {
  /** Public and stable: the name of its folder. */
  id: string
  /** A few words for a person. */
  title: string
  /** Cause, effect and repair, for a person who asks why. */
  why: string
  /** Raised when it finds something else than before: verdicts that are stored are then made again. */
  version?: number
  /** What a check says. */
  severity: Severity
  text(bytes: number): string
  /** What a check says while somebody may still be writing: then it is not a damage yet, and nothing is repaired. */
  textWhileWritten?: string
  /** What a reader says, which goes on behind it. Absent where a reader loses nothing and notices nothing. */
  reading?: LineReading
  /** Whether agents that read lines like this have it; all of them unless it says otherwise. */
  appliesTo?(traits: LineTraits): boolean
  /** Finds what is wrong in lines that are read without trouble. Absent where `rule` finds all. */
  find?(log: LineLog): Iterable<BytePlace>
  /** What repairs one place. Blanking with spaces unless it says otherwise. */
  repair?(log: LineLog, place: BytePlace): LineRepair
  /** For tests, fuzzing and the demo alone: breaks a healthy log, but not its first `spared` lines. */
  inflict(log: Buffer, random: Random, spared: number): BrokenLog | undefined
}

export interface LineReading {
  severity: Severity
  text(bytes: number): string
  /** Where it is absent: how to see the bytes. */
  hint?: string
}

export interface LineTraits {
  /** The agent also ends a line at U+2028 and U+2029. */
  splitsAtSeparators?: boolean
}

export interface LineLog {
  index: RecordIndex
  bytes: { size: number; range(start: number, end: number): Buffer }
}

export interface BytePlace {
  start: number
  end: number
}

export interface LineRepair {
  edits: (BytePlace & { bytes: Buffer })[]
  reason: string
}

export interface BrokenLog {
  bytes: Buffer
  /** What was done, for the report of a failing test. */
  what: string
  /** How many records the break destroyed for good. */
  destroyed: number
}

/** Numbers from a seed, so that a failure can be made again. */
export interface Random {
  /** From 0 up to and without 1. */
  next(): number
  /** A whole number from 0 up to and without `below`. */
  below(below: number): number
}

export function countBytes(bytes: number): string {
  return bytes === 1 ? '1 byte' : `${bytes.toLocaleString('en')} bytes`
}
