// The end of a long log, read ahead of the whole. The bytes after any line are a log with a lost beginning.
// Its messages are shown until the whole has been read.

import { basename } from 'node:path'
import { storeOf } from '../../agents/store.ts'
import type { Context } from '../../catalog/context.ts'
import { agentOf } from '../../catalog/reading.ts'
import { openFile } from '../../disk/files/read.ts'
import { withSpooledCopy } from '../../disk/state/spool.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Message } from '../../model/message.ts'
import { collect } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import { MAX_MESSAGE_PAGE } from '../api.ts'
import { formsOf } from './cut.ts'
import { TAIL_BYTES } from './limits.ts'

const NEWLINE = 0x0a

/**
 * The last messages in the JSON of pages. None if the end cannot be
 * read by itself; the whole reading reports why.
 */
export async function readTail(context: Context, session: SessionRef, folder: string): Promise<string[]> {
  try {
    const tail = endOfFile(session)
    if (tail === undefined) return []
    const messages = await withSpooledCopy(
      folder,
      basename(session.filePath),
      tail.bytes,
      async (filePath, storeRoot) => {
        const copy = { ...session, filePath, storeRoot, fileSize: tail.bytes.length }
        return (await collect(storeOf(agentOf(context, session), session).read(copy))).messages
      },
    )
    // The first message may have begun before the read-ahead part.
    return messages
      .slice(1)
      .slice(-MAX_MESSAGE_PAGE)
      .map(message => formsOf(inSession(message, session, tail.start)).shown)
  } catch (error) {
    if (error instanceof RethreadError) return []
    throw error
  }
}

function endOfFile({ filePath, storeRoot }: SessionRef): { bytes: Buffer; start: number } | undefined {
  const file = openFile(filePath, storeRoot)
  try {
    const { size } = file.identity
    const from = Math.max(0, size - TAIL_BYTES)
    const bytes = file.range(from, size)
    const newline = bytes.indexOf(NEWLINE)
    return newline === -1 ? undefined : { bytes: bytes.subarray(newline + 1), start: from + newline + 1 }
  } finally {
    file.close()
  }
}

function inSession(message: Message, { filePath }: SessionRef, shift: number): Message {
  if ('table' in message.at) return message
  const { start, end } = message.at
  return { ...message, at: { file: filePath, start: start + shift, end: end + shift } }
}
