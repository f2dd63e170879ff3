// Assigns each finding to a message: by the index of the reading, or by the bytes of the loaded messages.
import type { ApiFinding, ApiMessage } from '../../../src/server/protocol.ts'

export interface PlacedFinding {
  /** Stable while the page is open. */
  key: string
  finding: ApiFinding
  /** The marker is shown before this message; `total` means after the last. Undefined while unknown. */
  index: number | undefined
}

export function keyOfFinding({ damage, at }: ApiFinding): string {
  return 'start' in at ? `${damage} ${at.file} ${at.start} ${at.end}` : `${damage} ${at.file} ${at.table} ${at.row}`
}

export interface FoundBy {
  reading: readonly ApiFinding[]
  check: readonly ApiFinding[]
}

/**
 * In the order of the conversation. At the same place the finding of the check replaces that of the reading.
 */
export function placeFindings(
  { reading, check }: FoundBy,
  loaded: readonly ApiMessage[],
  total: number,
): PlacedFinding[] {
  const isRepeated = (finding: ApiFinding) => check.some(other => isSamePlace(finding, other))
  const placed = [...reading.filter(finding => !isRepeated(finding)), ...check].map(finding => {
    const known = reading.find(other => other.message !== undefined && isSamePlace(other, finding))
    const index = indexOf(finding, loaded, total) ?? (known === undefined ? undefined : indexOf(known, loaded, total))
    return { key: keyOfFinding(finding), finding, index }
  })
  const byKey = new Map(placed.map(one => [one.key, one]))
  return [...byKey.values()].sort(inOrder)
}

/** They share a byte or a row. A place without bytes counts as one byte. */
function isSamePlace({ at: one }: ApiFinding, { at: other }: ApiFinding): boolean {
  if (one.file !== other.file) return false
  if ('start' in one && 'start' in other)
    return one.start < Math.max(other.end, other.start + 1) && other.start < Math.max(one.end, one.start + 1)
  return 'row' in one && 'row' in other && one.table === other.table && one.row === other.row
}

function inOrder(one: PlacedFinding, other: PlacedFinding): number {
  if (one.index !== undefined && other.index !== undefined && one.index !== other.index) return one.index - other.index
  return startOf(one.finding) - startOf(other.finding)
}

export function startOf({ at }: ApiFinding): number {
  return 'start' in at ? at.start : 0
}

function indexOf({ message, at }: ApiFinding, loaded: readonly ApiMessage[], total: number): number | undefined {
  if (message !== undefined) return Math.max(0, Math.min(message, total))
  if (!('start' in at))
    return loaded.find(({ at: own }) => 'row' in own && own.table === at.table && own.row === at.row)?.index
  return indexOfByte(at.file, at.start, loaded, total)
}

/** Between two loaded neighbours it belongs to the second. In a gap between loaded pages it is unknown. */
function indexOfByte(file: string, byte: number, loaded: readonly ApiMessage[], total: number): number | undefined {
  let before: ApiMessage | undefined
  for (const message of loaded) {
    if (!('start' in message.at) || message.at.file !== file) continue
    if (message.at.start <= byte && byte < message.at.end) return message.index
    if (byte < message.at.start) {
      const isNeighbour = message.index === 0 || before?.index === message.index - 1
      return isNeighbour ? message.index : undefined
    }
    before = message
  }
  return before !== undefined && before.index === total - 1 ? total : undefined
}
