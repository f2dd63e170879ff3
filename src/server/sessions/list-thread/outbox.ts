// Collects rows for the server and sends them in batches: a
// message for each row would keep it from its clients.
import type { PublishedRow, ThreadMessage } from './messages.ts'

const MAX_ROWS = 250
const MAX_WAIT_MS = 100

export interface Outbox {
  add(row: PublishedRow): void
  /** Sends a message after all rows that were added before it. */
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
