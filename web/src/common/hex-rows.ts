// Turns bytes into rows of hex and text, with some bytes marked. Shows exactly what is stored.
export interface HexCell {
  hex: string
  text: string
  isMarked: boolean
}

export interface HexRow {
  offset: number
  /** One for each column; undefined before the first and after the last byte. */
  cells: (HexCell | undefined)[]
  /** Set if this row stands for a run of equal bytes, which is counted instead of shown. */
  run?: { byte: number; count: number }
}

export interface ByteMark {
  start: number
  end: number
}

export function hexRows(bytes: Uint8Array, start: number, mark: ByteMark, width: number): HexRow[] {
  const rows: HexRow[] = []
  const end = start + bytes.length
  for (let offset = start - (start % width); offset < end; offset += width) {
    const cells = Array.from({ length: width }, (_, at) => {
      const byte = bytes[offset + at - start]
      return offset + at < start || byte === undefined ? undefined : cellOf(byte, isIn(offset + at, mark))
    })
    rows.push({ offset, cells })
  }
  return rows
}

function isIn(offset: number, { start, end }: ByteMark): boolean {
  return offset >= start && offset < end
}

/** A finding without bytes (something is missing between two) marks the byte after it. */
export function atLeastOne({ start, end }: ByteMark): ByteMark {
  return { start, end: Math.max(end, start + 1) }
}

function cellOf(byte: number, isMarked: boolean): HexCell {
  return { hex: byte.toString(16).padStart(2, '0'), text: textOf(byte), isMarked }
}

/**
 * Everything but printable ASCII is a dot, also each byte of a longer UTF-8 sequence, so that the columns
 * align.
 */
function textOf(byte: number): string {
  return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·'
}

/** Shorter runs are shown: counting them would not save room. */
const SHORTEST_RUN_ROWS = 3
const COUNTED = new Set(['20', '00'])

/** Whole rows of only spaces or only zeros become one row that counts them. */
export function countRuns(rows: readonly HexRow[]): HexRow[] {
  const counted: HexRow[] = []
  for (let at = 0; at < rows.length; ) {
    const name = runName(rows[at])
    let end = at + 1
    while (name !== undefined && runName(rows[end]) === name) end++
    const first = rows[at]
    const isRun = name !== undefined && end - at >= SHORTEST_RUN_ROWS && first !== undefined
    if (isRun) counted.push({ ...first, run: { byte: byteOf(first), count: (end - at) * first.cells.length } })
    else counted.push(...rows.slice(at, end))
    at = end
  }
  return counted
}

/** Equal for rows of one run: the same byte throughout, all marked or none. */
function runName(row: HexRow | undefined): string | undefined {
  const first = row?.cells[0]
  if (row === undefined || first === undefined || !COUNTED.has(first.hex)) return undefined
  const isSame = row.cells.every(cell => cell?.hex === first.hex && cell.isMarked === first.isMarked)
  return isSame ? `${first.hex} ${first.isMarked}` : undefined
}

function byteOf(row: HexRow): number {
  return Number.parseInt(row.cells[0]?.hex ?? '0', 16)
}

/** The range to request: the finding and some bytes around it, or the first bytes of a long one. */
export function spanAround({ start, end }: ByteMark, around: number, most: number): ByteMark {
  const first = Math.max(0, Math.floor((start - around) / 16) * 16)
  return { start: first, end: Math.min(Math.max(end, start + 1) + around, first + most) }
}

export function fromBase64(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), character => character.charCodeAt(0))
}
