// The rows of a conversation: its tasks, its queries, and the commands that it ran.
import type { StoreArchive } from '../archive.ts'
import { CONVERSATION_OF_BLOCK } from './overview.ts'

const BY_CONVERSATION = ['agent_conversations', 'agent_tasks', 'ai_queries']

export const archive: StoreArchive = {
  canPutRows: true,
  rows({ filePath, storeRoot, sessionId }) {
    const own = BY_CONVERSATION.map(table => ({
      table,
      where: 'conversation_id = ?',
      values: [sessionId],
      columns: ['conversation_id'],
    }))
    const blocks = {
      table: 'blocks',
      where: `${CONVERSATION_OF_BLOCK} = ?`,
      values: [sessionId],
      columns: ['ai_metadata'],
    }
    return { file: filePath, root: storeRoot, tables: [...own, blocks] }
  },
}
