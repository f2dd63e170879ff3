// The project folder of a session, from the first bytes of its file: a check needs nothing else of a summary.
import type { OpenFile } from '../disk/files/read.ts'
import type { SessionRef } from '../model/session.ts'
import type { Store } from './store.ts'

const HEAD_BYTES = 32 * 1024
const NEWLINE = 0x0a
const head = Buffer.allocUnsafe(HEAD_BYTES)

/** Undefined if the first lines do not say it. Then the session has to be read. */
export function readProjectInHead(store: Store, session: SessionRef, file: OpenFile): string | undefined {
  if (session.project !== undefined || store.projectInHead === undefined) return session.project
  const [bytes] = file.chunks(0, Math.min(file.identity.size, HEAD_BYTES), head)
  return bytes === undefined ? undefined : store.projectInHead(bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1))
}
