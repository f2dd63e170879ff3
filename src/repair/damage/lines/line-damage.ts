// The declaration of one kind of broken line: how it is recognised, what readers and checks report, what
// repairs it, and how a test inflicts it. It does not depend on any agent, so that the readers of all agents
// can use it.
import type { LineKind } from '../../../bytes/records.ts'
import type { Severity } from '../../../model/finding.ts'
import { formatNumber } from '../../../model/format-number.ts'
import type { RecordIndex } from '../../records/record-index.ts'

export interface LineDamage extends LineKind {
  /** Public and stable. Equal to the name of its folder. */
  id: string
  /** A few words for users. */
  title: string
  /** Cause, effect and repair, for users who ask why. */
  why: string
  /** Raise it when the class finds something else than before. Cached verdicts are then made again. */
  version?: number
  /** What a check reports. */
  severity: Severity
  text(bytes: number): string
  /**
   * What a check reports while the agent may still be writing. Then it is not damage yet, and nothing is
   * repaired.
   */
  textWhileWritten?: string
  /**
   * What a reader reports before it continues after the broken line. Absent where the reader loses nothing.
   */
  reading?: LineReading
  /** Whether agents with these line traits have it. Default: all of them. */
  appliesTo?(traits: LineTraits): boolean
  /** Finds damage in lines that parse without errors. Absent where `rule` finds everything. */
  find?(log: LineLog): Iterable<BytePlace>
  /** Repairs one place. Default: blank it with spaces. */
  repair?(log: LineLog, place: BytePlace): LineRepair
  /** For tests, fuzzing and the demo only: breaks a healthy log after its first `spared` lines. */
  inflict(log: Buffer, random: Random, spared: number): BrokenLog | undefined
}

export interface LineReading {
  severity: Severity
  text(bytes: number): string
  /** Default: how to print the bytes. */
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
  /** The number of records that were destroyed for good. */
  destroyed: number
}

/** Seeded random numbers, so that a failure can be reproduced. */
export interface Random {
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** An integer from 0 (inclusive) to `below` (exclusive). */
  below(below: number): number
}

export function countBytes(bytes: number): string {
  return bytes === 1 ? '1 byte' : `${formatNumber(bytes)} bytes`
}

export function countNuls(bytes: number): string {
  return bytes === 1 ? '1 NUL byte' : `${formatNumber(bytes)} NUL bytes`
}
