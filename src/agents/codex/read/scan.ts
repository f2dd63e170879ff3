// Scans the bytes for a few words before the records are parsed. Most files hold none of them, and then one
// reading is enough.
import type { RecordLog } from '../../stores/json-lines.ts'

export interface Seen {
  items: boolean
  events: boolean
  rollbacks: boolean
}

// With both quotes: in a text that mentions one of these, a backslash precedes them.
const NEEDLES: Record<keyof Seen, Buffer> = {
  items: Buffer.from('"response_item"'),
  events: Buffer.from('"event_msg"'),
  rollbacks: Buffer.from('"thread_rolled_back"'),
}
const LONGEST = Math.max(...Object.values(NEEDLES).map(needle => needle.length))

export function scanForWords(log: RecordLog): Seen {
  const seen: Seen = { items: false, events: false, rollbacks: false }
  let tail: Buffer = Buffer.alloc(0)
  for (const chunk of log.file.chunks(log.startOffset)) {
    // The bytes across the border of two chunks.
    scanBytes(seen, Buffer.concat([tail, chunk.subarray(0, LONGEST)]))
    scanBytes(seen, chunk)
    tail = Buffer.from(chunk.subarray(-LONGEST))
  }
  return seen
}

function scanBytes(seen: Seen, bytes: Buffer): void {
  for (const name of ['items', 'events', 'rollbacks'] as const) seen[name] ||= bytes.includes(NEEDLES[name])
}
