// A resume makes a second log whose name ends as that of the session, and writes no conversation into it.
// The next start takes it for a broken one and deletes every log with that end:
// google-gemini/gemini-cli#27368, seen with 0.61.0.
import { dirname } from 'node:path'
import { parseObject } from '../../bytes/json.ts'
import { splitLines } from '../../bytes/lines.ts'
import { openFile } from '../../disk/files/read.ts'
import type { SessionRef } from '../../model/session.ts'
import { type ListingProblem, UNLISTED } from '../listing.ts'
import { asArray, asObject, asText } from '../stores/values.ts'

/** The end of a name: the first characters of the id. */
const END = /-([0-9a-f]{8})\.jsonl$/
/** An empty copy holds a header and a description of the folder. */
const MAX_BYTES = 256 * 1024

export function emptyCopies(sessions: readonly SessionRef[]): ListingProblem[] {
  const logs = sessions.filter(({ filePath }) => END.test(filePath))
  const groups = Map.groupBy(logs, ({ filePath }) => JSON.stringify([dirname(filePath), END.exec(filePath)?.[1]]))
  const copiesOf = new Map<SessionRef, SessionRef[]>()
  for (const group of groups.values()) {
    if (group.length < 2) continue
    const copies = group.filter(isEmpty)
    if (copies.length === 0) continue
    for (const session of group) if (!copies.includes(session)) copiesOf.set(session, copies)
  }
  const copies = [...new Set([...copiesOf.values()].flat())]
  if (copies.length === 0) return []
  return [
    {
      reason: 'empty-copy',
      sessions: [...copiesOf.keys()],
      text: 'Gemini CLI deletes these sessions when it starts the next time, also to list them: an empty log of an earlier resume has the same end of its name.',
      evidence: copies.map(({ filePath }) => `${filePath} holds no conversation (google-gemini/gemini-cli#27368).`),
      isOnlyRisk: true,
      async plan(wanted) {
        const files = new Set(wanted.flatMap(session => copiesOf.get(session) ?? []).map(({ filePath }) => filePath))
        const why = { damage: UNLISTED, reason: 'Move the empty log to the vault' }
        return { changes: [], whenClosed: [...files].map(file => ({ type: 'remove', file, ...why })), notes: [] }
      },
    },
  ]
}

function isEmpty({ filePath, storeRoot, fileSize }: SessionRef): boolean {
  if (fileSize > MAX_BYTES) return false
  const file = openFile(filePath, storeRoot)
  try {
    for (const { bytes } of splitLines(file.chunks(0, file.identity.size))) if (!isWithoutWords(bytes)) return false
    return true
  } finally {
    file.close()
  }
}

/**
 * A header, or what the agent itself says of the folder. Anything that is not known counts as a conversation.
 */
function isWithoutWords(line: Buffer): boolean {
  const record = parseObject(line)
  if (record === undefined) return false
  const set = asObject(record['$set'])
  if (set !== undefined) return (asArray(set['messages']) ?? []).every(isContext)
  return record['type'] === undefined ? asText(record['sessionId']) !== undefined : isContext(record)
}

function isContext(message: unknown): boolean {
  const { type, content } = asObject(message) ?? {}
  const parts = typeof content === 'string' ? [{ text: content }] : (asArray(content) ?? [])
  return (
    type === 'user' &&
    parts.length > 0 &&
    parts.every(part => asText(asObject(part)?.['text'])?.startsWith('<session_context>') === true)
  )
}
