// A finding: one damage at one place. Every reading carries a bounded list of them.
import type { Place } from './message.ts'

/**
 * `lost`: bytes that could not be read. `updating`: the end of a file that is still being written.
 * `survived`: wrong, but nothing was lost.
 */
export type Severity = 'lost' | 'updating' | 'survived'

export interface Finding {
  /** The class of damage: a public, stable kebab-case name. */
  damage: string
  severity: Severity
  at: Place
  text: string
  hint: string
  /** Ids and places that a person needs only for a closer look. */
  detail?: string
}

/** A file of pure garbage would give one finding a line. Beyond this limit they are only counted. */
export const MAX_FINDINGS = 1000

export class Findings {
  readonly list: Finding[] = []
  /** How many findings did not fit in the list. */
  beyondLimit = 0
  lost = 0
  updating = 0

  add(finding: Finding): void {
    if (finding.severity === 'lost') this.lost++
    if (finding.severity === 'updating') this.updating++
    if (this.list.length < MAX_FINDINGS) this.list.push(finding)
    else this.beyondLimit++
  }
}
