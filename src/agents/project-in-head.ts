// The project folder of a session, from the first bytes of its file: a check needs nothing else of a summary.
import type { OpenFile } from '../disk/files/read.ts'
import type { SessionRef } from '../model/session.ts'
import type { Store } from './store.ts'

const HEAD_BYTES = 8 * 1024
/** A first line that is longer is not read only for this. */
const MAX_HEAD_BYTES = 64 * 1024
const NEWLINE = 0x0a

/** Undefined if the first lines do not say it. Then the session has to be read. */
export function readProjectInHead(store: Store, session: SessionRef, file: OpenFile): string | undefined {
  return findProjectInHead(store, session, () => rangeOf(file, HEAD_BYTES), file)
}

/** The same from the first bytes of the file. More is read only for a long first line. */
export function findProjectInHead(
  store: Store,
  session: SessionRef,
  head: () => Buffer,
  file: OpenFile,
): string | undefined {
  if (isKnown(store, session)) return session.project
  const first = linesIn(head().subarray(0, HEAD_BYTES))
  const isLonger = first.length === 0 && file.identity.size > HEAD_BYTES
  return store.projectInHead?.(isLonger ? linesIn(rangeOf(file, MAX_HEAD_BYTES)) : first)
}

/** The same without reading anything: `onProject` is called at once, or when the first chunk of the file is read. */
export function awaitProjectInHead(
  store: Store,
  session: SessionRef,
  file: OpenFile,
  onProject: (project: string | undefined) => void,
): void {
  if (isKnown(store, session)) onProject(session.project)
  else
    file.onFirstChunk(chunk => {
      const first = linesIn(chunk.subarray(0, HEAD_BYTES))
      onProject(store.projectInHead?.(first.length === 0 ? linesIn(chunk.subarray(0, MAX_HEAD_BYTES)) : first))
    })
}

function isKnown(store: Store, session: SessionRef): boolean {
  return session.project !== undefined || store.projectInHead === undefined
}

function rangeOf(file: OpenFile, length: number): Buffer {
  return file.range(0, Math.min(file.identity.size, length))
}

/** Without the last line, if that is not complete. */
function linesIn(head: Buffer): Buffer {
  return head.subarray(0, head.lastIndexOf(NEWLINE) + 1)
}
