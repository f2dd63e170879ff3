// Bytes of a session's own file, for the view of the bytes.

import type { Traits } from '../../agents/store.ts'
import { openFile } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'
import { paste } from '../../model/paste.ts'
import type { SessionRef } from '../../model/session.ts'
import type { ApiBytes } from '../api.ts'
import { MAX_BYTES_SHOWN } from '../api.ts'

export function readBytes(session: SessionRef, traits: Traits | undefined, start: number, end: number): ApiBytes {
  refuse(session, traits)
  const file = openFile(session.filePath, session.storeRoot)
  try {
    const { size } = file.identity
    const from = Math.min(Math.max(0, start), size)
    const to = Math.max(from, Math.min(end, from + MAX_BYTES_SHOWN, size))
    const bytes = file.range(from, to)
    return {
      file: session.filePath,
      start: from,
      end: from + bytes.length,
      fileSize: size,
      base64: bytes.toString('base64'),
    }
  } finally {
    file.close()
  }
}

/**
 * The pages of a database hold other sessions and may hold keys; places in
 * a compressed file are not places of its bytes.
 */
function refuse({ filePath, sessionId }: SessionRef, traits: Traits | undefined): void {
  const reason =
    traits?.framing === 'sqlite'
      ? 'is a database, which holds more than this conversation'
      : traits?.isCompressed === true
        ? 'is compressed'
        : undefined
  if (reason === undefined) return
  throw new RethreadError({
    code: 'unsupported',
    text: `${filePath} ${reason}: its bytes are not shown.`,
    hint: `See the stored records: ${paste('rethread show --raw', sessionId)}`,
    path: filePath,
  })
}
