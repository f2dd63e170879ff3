// What is known of logs so that they can be checked and mended.
import type { LogMend } from '../mend.ts'
import { isRecord } from './changes.ts'
import { Conversation } from './conversation.ts'
import { describe } from './describe.ts'
import { header } from './header.ts'
import { load } from './loader.ts'

export const mend: LogMend = {
  framing: 'json-lines',
  isRecord,
  describe,
  load,
  header,
  rewinds: {
    findDangling({ index, bytes }) {
      const { dangling } = new Conversation({ index, bytes, isSeen: () => true, clearsWhenDangling: false })
      return dangling.map(record => ({
        start: index.start(record),
        end: index.end(record),
        text: `The conversation is taken back to message ${index.target(record)}, which is not there: the agent then drops all messages, and deletes the file of a session without any.`,
      }))
    },
    write: target => Buffer.from(JSON.stringify({ $rewindTo: target })),
  },
}
