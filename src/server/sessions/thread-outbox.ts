// Rows on their way to the server, together where they come quickly: a message for each would keep it from its clients.
import type { PublishedRow, ThreadMessage } from './thread-messages.ts'

const MAX_ROWS = 250
const MAX_WAIT_MS = 100

export interface Outbox {
  add(row: PublishedRow): void
  /** After all rows that were added before. */
  send(message: ThreadMessage): void
  flush(): void
}

export function makeOutbox(post: (message: ThreadMessage) => void): Outbox {
  let rows: PublishedRow[] = []
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (rows.length === 0) return
    const full = rows
    rows = []
    post({ type: 'rows', rows: full })
  }
  return {
    add(row) {
      rows.push(row)
      if (rows.length >= MAX_ROWS) flush()
      else timer ??= setTimeout(flush, MAX_WAIT_MS)
    },
    send(message) {
      flush()
      post(message)
    },
    flush,
  }
}
