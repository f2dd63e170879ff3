// The project folder of a session, from the first bytes of its file: a check needs nothing else of a summary.
import type { OpenFile } from '../disk/files/read.ts'
import type { SessionRef } from '../model/session.ts'
import type { Store } from './store.ts'

const HEAD_BYTES = 8 * 1024
const NEWLINE = 0x0a

/** Undefined if the first lines do not say it. Then the session has to be read. */
export function readProjectInHead(store: Store, session: SessionRef, file: OpenFile): string | undefined {
  if (isKnown(store, session)) return session.project
  return projectIn(store, file.range(0, Math.min(file.identity.size, HEAD_BYTES)))
}

/** The same from the first bytes of the file. */
export function findProjectInHead(store: Store, session: SessionRef, head: () => Buffer): string | undefined {
  return isKnown(store, session) ? session.project : projectIn(store, head().subarray(0, HEAD_BYTES))
}

/** The same without reading anything: `onProject` is called at once, or when the first chunk of the file is read. */
export function awaitProjectInHead(
  store: Store,
  session: SessionRef,
  file: OpenFile,
  onProject: (project: string | undefined) => void,
): void {
  if (isKnown(store, session)) onProject(session.project)
  else file.onFirstChunk(chunk => onProject(projectIn(store, chunk.subarray(0, HEAD_BYTES))))
}

function isKnown(store: Store, session: SessionRef): boolean {
  return session.project !== undefined || store.projectInHead === undefined
}

function projectIn(store: Store, head: Buffer): string | undefined {
  return store.projectInHead?.(head.subarray(0, head.lastIndexOf(NEWLINE) + 1))
}
