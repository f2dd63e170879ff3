// From places in the session's file to messages: where a finding is marked, and which message is at a byte.
import type { Finding } from '../../model/finding.ts'
import type { ApiFinding } from '../api.ts'
import type { MessageIndex } from './message-index.ts'
import { otherPlaceKey } from './message-index.ts'

const NONE = -1

/**
 * The message that begins at or before this byte of the session's file, the nearest one; 0 where none does.
 */
export function messageAt(index: MessageIndex, byte: number): number {
  let found = 0
  let nearest = -1
  for (let row = 0; row < index.length; row++) {
    const place = index.placeOf(row)
    if (place === undefined || place.start > byte || place.start < nearest) continue
    found = row
    nearest = place.start
  }
  return found
}

/**
 * Each finding with the message that contains it, or else the next one. After the last message there is none.
 */
export function placeFindings(findings: readonly Finding[], index: MessageIndex, sessionFile: string): ApiFinding[] {
  const inFile = new FileFindings(findings, sessionFile)
  for (let row = 0; row < index.length; row++) {
    const place = index.placeOf(row)
    if (place !== undefined) inFile.meet(row, place)
  }
  const rows = inFile.rows()
  return findings.map(finding => {
    const key = otherPlaceKey(finding.at, sessionFile)
    const message = key === undefined ? (rows.get(finding) ?? NONE) : index.findOtherPlace(key)
    return message === NONE ? finding : { ...finding, message }
  })
}

/**
 * Messages need not be in file order, and may be very many: each is compared once with the sorted findings.
 */
class FileFindings {
  readonly #findings: Finding[]
  readonly #starts: number[]
  readonly #inside: number[]
  /**
   * For the finding at the same place: the first message in the file after it and before the next finding.
   */
  readonly #behind: { row: number; start: number }[]

  constructor(findings: readonly Finding[], sessionFile: string) {
    const starts = new Map<Finding, number>()
    for (const finding of findings)
      if (!('table' in finding.at) && finding.at.file === sessionFile) starts.set(finding, finding.at.start)
    const sorted = [...starts].sort(([, a], [, b]) => a - b)
    this.#findings = sorted.map(([finding]) => finding)
    this.#starts = sorted.map(([, start]) => start)
    this.#inside = sorted.map(() => NONE)
    this.#behind = sorted.map(() => ({ row: NONE, start: Number.POSITIVE_INFINITY }))
  }

  meet(row: number, { start, end }: { start: number; end: number }): void {
    const first = this.#firstAtOrBehind(start)
    for (let at = first; (this.#starts[at] ?? end) < end && this.#inside[at] === NONE; at++) this.#inside[at] = row
    const before = this.#behind[first - 1]
    if (before !== undefined && start < before.start) this.#behind[first - 1] = { row, start }
  }

  rows(): Map<Finding, number> {
    const rows = new Map<Finding, number>()
    let nearest = NONE
    for (let at = this.#findings.length - 1; at >= 0; at--) {
      const finding = this.#findings[at]
      const behind = this.#behind[at]?.row ?? NONE
      if (behind !== NONE) nearest = behind
      const inside = this.#inside[at] ?? NONE
      if (finding !== undefined) rows.set(finding, inside === NONE ? nearest : inside)
    }
    return rows
  }

  #firstAtOrBehind(start: number): number {
    let low = 0
    let high = this.#starts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#starts[middle] ?? 0) < start) low = middle + 1
      else high = middle
    }
    return low
  }
}
