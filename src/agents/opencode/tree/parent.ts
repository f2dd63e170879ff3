// Finds the parent of a sub-agent whose own file no longer names it: the call that started it does, and was
// written shortly before.
import { listFolder } from '../../../disk/files/read.ts'
import { asObject } from '../../stores/values.ts'
import { messagesFolder, partsFolder, readRecord, recordFiles, sessionMessagesFolder } from './records.ts'

/** How many messages are searched. Other sessions may have run at the same time, but not more. */
const MAX_MESSAGES = 200

/** `first` is the id of the session's first message: the call was made before it. */
export function findParent(storage: string, sessionId: string, first: string): string | undefined {
  const earlier = listFolder(sessionMessagesFolder(storage))
    .filter(folder => folder.isFolder && folder.name !== sessionId)
    .flatMap(folder =>
      recordFiles(messagesFolder(storage, folder.name)).map(({ id }) => ({ id, session: folder.name })),
    )
    .filter(({ id }) => id < first)
    .sort((a, b) => (a.id < b.id ? 1 : -1))
  return earlier.slice(0, MAX_MESSAGES).find(({ id }) => startsSession(storage, id, sessionId))?.session
}

function startsSession(storage: string, messageId: string, sessionId: string): boolean {
  return recordFiles(partsFolder(storage, messageId)).some(({ path }) => {
    const record = readRecord(path, storage)
    if (record.type !== 'read' || record.value['type'] !== 'tool') return false
    return asObject(asObject(record.value['state'])?.['metadata'])?.['sessionId'] === sessionId
  })
}
