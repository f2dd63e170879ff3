// The adapter for checks and repairs of logs.
import type { LogRepair } from '../../repair.ts'
import { isRecord } from './changes.ts'
import { LogConversation } from './conversation.ts'
import { describe } from './describe.ts'
import { findEmptied } from './emptied.ts'
import { header } from './header.ts'
import { load } from './loader.ts'
import { refusals } from './refusals.ts'

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
