// How far long work is, in one line: a label, a bar, and as many figures as there is room for.

export interface BarParts {
  label: string
  /** From 0 to 1. */
  share: number
  /** From the most to the least that can be said. */
  figures: readonly (readonly string[])[]
}

export interface BarPlace {
  /** No line is longer. */
  columns: number
  isUnicode: boolean
}

const MOST_COLUMNS = 24
/** In a shorter one nothing is seen to move. */
const LEAST_COLUMNS = 6

/** Every character is one column wide, as long as the label is plain. */
export function renderBar({ label, share, figures }: BarParts, { columns, isUnicode }: BarPlace): string {
  const texts = figures.map(parts => parts.join(isUnicode ? ' · ' : ', '))
  for (const text of texts) {
    const room = columns - label.length - text.length - 2
    if (room >= LEAST_COLUMNS) return `${label} ${draw(share, Math.min(room, MOST_COLUMNS), isUnicode)} ${text}`
  }
  return `${label} ${texts.at(-1) ?? ''}`.trimEnd().slice(0, columns)
}

function draw(share: number, columns: number, isUnicode: boolean): string {
  const inner = isUnicode ? columns : columns - 2
  const filled = Math.floor(Math.min(1, Math.max(0, share)) * inner)
  const [full, empty] = isUnicode ? ['█', '░'] : ['#', '-']
  const bar = `${full.repeat(filled)}${empty.repeat(inner - filled)}`
  return isUnicode ? bar : `[${bar}]`
}

const MINUTE_S = 60
const HOUR_S = 3600

export function formatLeft(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000)
  if (seconds < 2 * MINUTE_S) return `${seconds} s left`
  const minutes = Math.round(seconds / MINUTE_S)
  return seconds < 2 * HOUR_S ? `${minutes} min left` : `${Math.round(seconds / HOUR_S)} h left`
}
