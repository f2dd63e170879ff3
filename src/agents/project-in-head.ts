// The project folder of a session, from the first bytes of its file: a check needs nothing else of a summary.
import type { OpenFile } from '../disk/files/read.ts'
import type { SessionRef } from '../model/session.ts'
import type { Store } from './store.ts'

const HEAD_BYTES = 8 * 1024
const NEWLINE = 0x0a

/** Undefined if the first lines do not say it. Then the session has to be read. */
export function readProjectInHead(store: Store, session: SessionRef, file: OpenFile): string | undefined {
  if (session.project !== undefined || store.projectInHead === undefined) return session.project
  const head = file.range(0, Math.min(file.identity.size, HEAD_BYTES))
  return store.projectInHead(head.subarray(0, head.lastIndexOf(NEWLINE) + 1))
}
