// One damage at one place, and the bounded list of them that every reading carries.
import type { Place } from './message.ts'

/** `lost`: bytes that could not be read. `updating`: the end of a file that is still being written. `survived`: wrong, but nothing was lost by it. */
export type Severity = 'lost' | 'updating' | 'survived'

export interface Finding {
  /** The class of damage: a public, stable kebab-case name. */
  damage: string
  severity: Severity
  at: Place
  text: string
  hint: string
  /** Ids and places that a person needs only when looking closer. */
  detail?: string
}

/** A file of pure garbage would give a finding for each of its lines; beyond this many, they are only counted. */
export const MAX_FINDINGS = 1000

export class Findings {
  readonly list: Finding[] = []
  /** How many more there were than the list holds. */
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
