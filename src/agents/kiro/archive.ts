// The row of a conversation, or the metadata beside its log.
import { basename, dirname } from 'node:path'
import type { RowSource, StoreArchive } from '../archive.ts'
import { filesBelow } from '../stores/files-below.ts'
import { logsNamedBy } from './ide/execution-files.ts'
import { executionsFolder } from './ide/executions.ts'
import { metadataPath } from './log/read.ts'

const FOLDER = 'folder:'
const ID = "CASE WHEN json_valid(CAST(value AS TEXT)) THEN json_extract(CAST(value AS TEXT), '$.conversation_id') END"

/** Older rows have their id inside the value, or none: then the folder identifies them. */
export const databaseArchive: StoreArchive = {
  canPutRows: true,
  rows({ filePath, storeRoot, sessionId }): RowSource {
    const folder = sessionId.startsWith(FOLDER) ? sessionId.slice(FOLDER.length) : ''
    return {
      file: filePath,
      root: storeRoot,
      tables: [
        { table: 'conversations_v2', where: 'conversation_id = ?', values: [sessionId], columns: ['conversation_id'] },
        {
          table: 'conversations',
          where: `${ID} = ? OR key = ?`,
          values: [sessionId, folder],
          columns: ['key', 'value'],
        },
      ],
    }
  },
}

/** What the agent did is in the logs of its executions. */
export const documentArchive: StoreArchive = {
  beside({ filePath, storeRoot, project }) {
    if (project === undefined) return []
    const location = { path: storeRoot, root: storeRoot }
    return logsNamedBy(filePath, location, executionsFolder(storeRoot, project)).map(path => ({
      path,
      kind: 'document',
    }))
  },
}

export const logArchive: StoreArchive = {
  beside({ filePath, subagentOf }) {
    if (subagentOf !== undefined) return []
    const metadata = metadataPath(filePath)
    const isFolder = basename(filePath) === 'messages.jsonl'
    const paths = isFolder ? filesBelow(dirname(filePath)).filter(path => !path.endsWith('.jsonl')) : [metadata]
    return paths.map(path => ({ path, kind: 'document' }))
  },
}
