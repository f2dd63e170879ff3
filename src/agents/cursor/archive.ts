// The rows of a conversation, without the encryption keys that
// lie among them: these never leave the database.
import { dirname, join } from 'node:path'
import type { StoreArchive } from '../archive.ts'
import { CHAT_KEYS, TABLE as CHAT_TABLE } from './chats/rows.ts'
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

/** One row holds all chats of a window, and each chat has a copy of it. */
export const chatsArchive: StoreArchive = {
  rows(session) {
    const { filePath, storeRoot } = session
    const composers = ideArchive.rows?.(session)
    const composer = `json(json_remove(composer.value, ${KEYS}))`
    // `value` alone would be that of json_each.
    const row = `CAST(${CHAT_TABLE}.value AS TEXT)`
    const each = `SELECT json_group_array(${composer}) FROM json_each(${row}, '$.allComposers') AS composer`
    const hasComposers = `json_valid(${row}) AND json_type(${row}, '$.allComposers') = 'array'`
    const withoutKeys = `CASE WHEN ${hasComposers} THEN json_set(${row}, '$.allComposers', json((${each}))) ELSE ${row} END`
    const where = `key IN (${CHAT_KEYS.map(() => '?').join(', ')})`
    return {
      file: filePath,
      root: storeRoot,
      tables: [
        { table: CHAT_TABLE, where, values: CHAT_KEYS, columns: ['key', 'value'], instead: { value: withoutKeys } },
        ...(composers?.tables ?? []),
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
