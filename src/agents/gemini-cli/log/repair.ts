// The adapter for checks and repairs of logs.
import type { LogRepair, LogView } from '../../repair.ts'
import { isRecord } from './changes.ts'
import { LogConversation, lastList } from './conversation.ts'
import { describe } from './describe.ts'
import { header } from './header.ts'
import { load } from './loader.ts'
import { refusals } from './refused-records.ts'

const UNIQUE: ReadonlySet<string> = new Set(['talk', 'attachment', 'system', 'boundary'])

export const repair: LogRepair = {
  framing: 'json-lines',
  isRecord,
  describe,
  load,
  header,
  repeats: {
    /** Messages have ids and times, and lists hold such messages. */
    isUnique: ({ visible }, record) => UNIQUE.has(visible.kind(record)),
  },
  refusals,
  lists: {
    findEmptied,
    write: () => Buffer.from(JSON.stringify({ $set: { messages: [] } })),
  },
  rewinds: {
    findDangling({ index, bytes }) {
      const { dangling } = new LogConversation({ index, bytes, isSeen: () => true, clearsWhenDangling: false })
      return dangling.map(record => ({
        start: index.start(record),
        end: index.end(record),
        text: `The conversation is rewound to message ${index.target(record)}, which is not in the file. The agent then drops all messages, and deletes the file of an empty session.`,
      }))
    },
    write: target => Buffer.from(JSON.stringify({ $rewindTo: target })),
  },
}

// A resume writes a list with only its own context, and then one with the whole conversation. If it was
// stopped between the two, the agent no longer sees the conversation, and deletes the file at its next start.

function findEmptied({ index, bytes }: LogView): { start: number; end: number; text: string }[] {
  const isSeen = () => true
  const list = lastList({ index, isSeen })
  if (index.length === 0 || index.kind(list) !== 'boundary') return []
  const listed = new LogConversation({
    index: index.only(record => record === list),
    bytes,
    isSeen,
    clearsWhenDangling: false,
  })
  if (listed.messages().length > 0) return []
  const before = index.only(record => index.start(record) < index.start(list))
  const hidden = new LogConversation({ index: before, bytes, isSeen, clearsWhenDangling: false }).messages().length
  if (hidden === 0) return []
  const count = hidden === 1 ? '1 message' : `${hidden} messages`
  const text = `The conversation was emptied here, as a resume does before it rewrites everything, but was not rewritten: the agent does not load the ${count} before this.`
  return [{ start: index.start(list), end: index.end(list), text }]
}
