// What is archived of a session: its own files or rows, and the files beside it.
import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { RowSource } from '../agents/archive.ts'
import type { Environment } from '../agents/environment.ts'
import { type Store, storeOf } from '../agents/store.ts'
import { statIfThere } from '../disk/files/handles.ts'
import { identityOf } from '../disk/files/read.ts'
import type { SessionRef } from '../model/session.ts'
import { foldHome } from './home-paths.ts'
import type { ArchivedItem } from './segment.ts'

export interface LiveItem {
  item: ArchivedItem
  /** For rows, the database. */
  path: string
  /** Links may not leave it. */
  root: string
  /** For rows. */
  source?: RowSource
  /** Differs where the content may differ. Undefined where the file does not exist. */
  mark: string | undefined
}

export function archiveChainId(session: Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>, home: string): string {
  const text = `${session.agent}\n${session.sessionId}\n${foldHome(session.filePath, home)}`
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** Undefined for a store of which rethread does not know which rows belong to a session. */
export async function itemsOf(
  agent: Agent,
  session: SessionRef,
  environment: Environment,
): Promise<LiveItem[] | undefined> {
  const store = storeOf(agent, session)
  const { home } = environment
  const own = await ownItems(store, session, home)
  if (own === undefined) return undefined
  const sides = isName(session.sessionId) ? (store.archive?.beside?.(session, environment) ?? []) : []
  const beside = sides.map(({ path, kind, isShared }) =>
    fileItem(path, { path: foldHome(path, home), kind, role: isShared === true ? 'shared' : 'side' }, dirname(path)),
  )
  const index = store.archive?.index?.(session)
  const rows = index === undefined ? [] : [rowsItem(index, home, 'side', session.identity)]
  return [...own, ...beside.filter(({ mark }) => mark !== undefined), ...rows]
}

/** Files beside a session are found by its id. Another text than a plain name leads to files of others. */
function isName(id: string): boolean {
  return id !== '' && id !== '.' && id !== '..' && !/[/\\]/.test(id)
}

async function ownItems(store: Store, session: SessionRef, home: string): Promise<LiveItem[] | undefined> {
  const { framing, appendOnly } = store.traits
  if (framing === 'sqlite') {
    const source = store.archive?.rows?.(session)
    return source === undefined ? undefined : [rowsItem(source, home, 'main', session.identity)]
  }
  const kind = framing === 'json-lines' && appendOnly ? 'log' : 'document'
  const repair = framing === 'json-tree' ? await store.repair?.() : undefined
  const files = repair?.framing === 'json-tree' ? repair.files(session).map(({ file }) => file) : []
  return [...new Set([session.filePath, ...files])].map(path =>
    fileItem(path, { path: foldHome(path, home), kind, role: 'main' }, session.storeRoot),
  )
}

function fileItem(path: string, item: ArchivedItem, root: string): LiveItem {
  const stats = statIfThere(path, 'stat')
  if (stats === undefined) return { item, path, root, mark: undefined }
  return { item: { ...item, mode: Number(stats.mode & 0o777n) }, path, root, mark: identityOf(stats).mark }
}

function rowsItem(source: RowSource, home: string, role: 'main' | 'side', mark: string): LiveItem {
  return {
    item: { path: foldHome(source.file, home), kind: 'rows', role },
    path: source.file,
    root: source.root,
    source,
    mark,
  }
}
