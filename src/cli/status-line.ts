// One line at the bottom of a terminal that is drawn over and over, and leaves nothing behind. Nothing where nobody watches, nothing for work that is over at once.
import type { BarPlace } from './bar.ts'
import { hasUnicode } from './unicode.ts'

export interface StatusLine {
  /** Not more often than the eye follows: `render` is called only where the line is drawn. */
  draw(render: (place: BarPlace) => string): void
  clear(): void
}

const SHOWN_AFTER_MS = 300
const EVERY_MS = 100
const USUAL_COLUMNS = 80

export function makeStatusLine(stream: NodeJS.WriteStream): StatusLine {
  /** From the first time that there is something to say: what is loaded before takes its time, too. */
  let started: number | undefined
  const isWatched = stream.isTTY === true && process.env['TERM'] !== 'dumb'
  const isUnicode = hasUnicode()
  const columnsNow = (): number => stream.columns || USUAL_COLUMNS
  let last = 0
  let width = 0
  /** In a terminal that was made narrower meanwhile, the line may stand in several rows. */
  const erase = (): string => {
    const rows = Math.ceil(width / columnsNow())
    width = 0
    return `${'\u001b[A'.repeat(Math.max(0, rows - 1))}\r\u001b[J`
  }
  return {
    draw(render) {
      const now = performance.now()
      started ??= now
      if (!isWatched || now - started < SHOWN_AFTER_MS || now - last < EVERY_MS) return
      last = now
      // In the last column, some terminals begin a new line.
      const text = render({ columns: columnsNow() - 1, isUnicode })
      stream.write(`${erase()}${text}`)
      width = text.length
    },
    clear() {
      if (width > 0) stream.write(erase())
    },
  }
}
