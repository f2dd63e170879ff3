// One line at the bottom of a terminal that is redrawn and leaves nothing behind: a label, a bar, and as many
// figures as fit. Nothing is drawn without a terminal, or for work that ends at once.
import type { Variables } from '../../disk/processes/find-command.ts'

export interface StatusLine {
  /** Without a terminal nothing is drawn, and nothing need be measured. */
  isWatched: boolean
  /** Throttled: `render` is called only when the line is drawn. */
  draw(render: (place: BarPlace) => string): void
  clear(): void
}

const SHOWN_AFTER_MS = 300
const EVERY_MS = 100
const USUAL_COLUMNS = 80

export function makeStatusLine(stream: NodeJS.WriteStream): StatusLine {
  /** Starts with the first call: loading modules before it takes time too. */
  let started: number | undefined
  const isWatched = stream.isTTY === true && process.env['TERM'] !== 'dumb'
  const isUnicode = hasUnicode()
  const columnsNow = (): number => stream.columns || USUAL_COLUMNS
  let last = 0
  let width = 0
  /** In a terminal that has become narrower, the line may take several rows. */
  const erase = (): string => {
    const rows = Math.ceil(width / columnsNow())
    width = 0
    return `${'\u001b[A'.repeat(Math.max(0, rows - 1))}\r\u001b[J`
  }
  return {
    isWatched,
    draw(render) {
      if (!isWatched) return
      const now = performance.now()
      started ??= now
      if (now - started < SHOWN_AFTER_MS || now - last < EVERY_MS) return
      last = now
      // Some terminals start a new line after the last column.
      const text = render({ columns: columnsNow() - 1, isUnicode })
      stream.write(`${erase()}${text}`)
      width = text.length
    },
    clear() {
      if (width > 0) stream.write(erase())
    },
  }
}

export interface BarParts {
  label: string
  /** From 0 to 1. */
  share: number
  /** Alternatives, longest first. */
  figures: readonly (readonly string[])[]
}

export interface BarPlace {
  /** The maximum length of the line. */
  columns: number
  isUnicode: boolean
}

const MOST_COLUMNS = 24
/** In a shorter bar no movement is visible. */
const LEAST_COLUMNS = 6

/** Assumes that every character of the label is one column wide. */
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

/**
 * A locale without a character set, or no locale, means a minimal system. Its terminal usually shows Unicode.
 */
export function hasUnicode(variables: Variables = process.env, platform: string = process.platform): boolean {
  if (platform === 'win32')
    return variables['WT_SESSION'] !== undefined || /^(xterm|alacritty|vscode)/.test(variables['TERM'] ?? '')
  // The kernel console has a font of 256 or 512 characters.
  if (variables['TERM'] === 'linux') return false
  const locale = variables['LC_ALL'] || variables['LC_CTYPE'] || variables['LANG'] || ''
  if (locale === 'C' || locale === 'POSIX') return false
  const charset = locale.split('.')[1]
  return charset === undefined || /^utf-?8\b/i.test(charset)
}
