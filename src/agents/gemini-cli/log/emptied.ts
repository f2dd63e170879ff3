// A resume writes a list with only its own context, and then one with the whole conversation. If it was
// stopped between the two, the agent no longer sees the conversation, and deletes the file at its next start.
import type { LogView } from '../../repair.ts'
import { LogConversation, lastList } from './conversation.ts'

export function findEmptied({ index, bytes }: LogView): { start: number; end: number; text: string }[] {
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
