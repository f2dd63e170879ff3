// The rows of a conversation, without the encryption keys that lie among them: these never leave the database.
import { dirname, join } from 'node:path'
import type { StoreArchive } from '../archive.ts'
import { bubbleRange, composerKey, TABLE } from './ide/composers.ts'

const KEYS = ["'$.blobEncryptionKey'", "'$.speculativeSummarizationEncryptionKey'"].join(', ')
const TEXT = 'CAST(value AS TEXT)'
const HEX = `CAST(unhex(${TEXT}) AS TEXT)`

export const ideArchive: StoreArchive = {
  rows({ filePath, storeRoot, sessionId }) {
    const columns = ['key', 'value']
    const withoutKeys = `CASE WHEN json_valid(${TEXT}) THEN json_remove(${TEXT}, ${KEYS}) END`
    return {
      file: filePath,
      root: storeRoot,
      tables: [
        { table: TABLE, where: 'key = ?', values: [composerKey(sessionId)], columns, instead: { value: withoutKeys } },
        { table: TABLE, where: 'key >= ? AND key < ?', values: bubbleRange(sessionId), columns },
      ],
    }
  },
}

export const cliArchive: StoreArchive = {
  rows({ filePath, storeRoot }) {
    const withoutKeys = `CASE WHEN json_valid(${HEX}) THEN lower(hex(json_remove(${HEX}, ${KEYS}))) END`
    return {
      file: filePath,
      root: storeRoot,
      tables: [
        { table: 'meta', where: '1', values: [], columns: ['key', 'value'], instead: { value: withoutKeys } },
        { table: 'blobs', where: '1', values: [], columns: ['id', 'data'] },
      ],
    }
  },
  beside: ({ filePath }) => [{ path: join(dirname(filePath), 'meta.json'), kind: 'document' }],
}
