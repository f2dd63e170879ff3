// Groups findings by damage, the most frequent first, and describes their places.
import type { ApiFinding } from '../../../src/server/protocol.ts'
import { cleanLine } from '../common/clean.ts'
import { formatCount, plural } from '../common/format.ts'

export interface FindingGroup {
  damage: string
  findings: ApiFinding[]
}

/** Up to this many findings are listed without groups. */
const FEW = 6

/** Few findings form one group without a name. */
export function groupFindings(findings: readonly ApiFinding[]): FindingGroup[] {
  if (findings.length <= FEW) return findings.length === 0 ? [] : [{ damage: '', findings: [...findings] }]
  const groups = Map.groupBy(findings, ({ damage }) => damage)
  return [...groups]
    .map(([damage, own]) => ({ damage, findings: own }))
    .sort((one, other) => other.findings.length - one.findings.length)
}

/** Turns the id of a damage into words. */
export function damageWords(damage: string): string {
  return cleanLine(damage).replaceAll('-', ' ')
}

/** "byte 1,204, 36 bytes" or "row 5 of message". */
export function placeWords(at: ApiFinding['at']): string {
  if (!('start' in at)) return `row ${cleanLine(String(at.row))} of ${cleanLine(at.table)}`
  const length = at.end - at.start
  return length <= 0
    ? `before byte ${formatCount(at.start)}`
    : `from byte ${formatCount(at.start)}, ${plural(length, 'byte')}`
}

export function fileName(path: string): string {
  return cleanLine(path.split(/[/\\]/).at(-1) ?? path)
}
