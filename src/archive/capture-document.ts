// Copies a document that its agent rewrites, or the rows of a session: as a version, against an older one.
import { encodeDelta } from '../bytes/delta.ts'
import { identityOf, openFile, statPath } from '../disk/files/read.ts'
import { busyError } from '../disk/processes/writers.ts'
import type { DatabaseOptions } from '../disk/sqlite/read-database.ts'
import { readCanonicalRows } from '../disk/sqlite/session-rows.ts'
import { hasErrorCode, RethreadError } from '../model/errors.ts'
import type { LoadedChange } from './chain.ts'
import { sha256Of } from './compress.ts'
import type { ContentReader } from './content.ts'
import type { LiveItem } from './items.ts'
import type { VersionChange } from './segment.ts'
import type { PointFacts, SegmentWriter } from './segment-writer.ts'

/** A document is in memory while it is compared. */
export const MAX_DOCUMENT_BYTES = 512 * 1024 * 1024
const MAX_TRIES = 3
/** A version that shares less with the older one is stored whole. */
export const MAX_DELTA_SHARE = 0.7
const LEAST_DELTA_BYTES = 256

export interface CapturedDocument {
  outcome: 'same' | 'new' | 'changed'
  sizeBefore?: number
  size: number
}

export async function captureDocument(
  live: LiveItem,
  reader: ContentReader | undefined,
  writer: SegmentWriter,
  facts: PointFacts,
  options: DatabaseOptions = {},
): Promise<CapturedDocument> {
  const content = await contentOf(live, options)
  const changes = reader?.chain.items.get(live.item.path)?.changes ?? []
  const versions = changes.filter(isVersion)
  const last = versions.at(-1)
  const sha256 = sha256Of(content)
  if (last?.sha256 === sha256 && changes.at(-1)?.type === 'version') return { outcome: 'same', size: content.length }
  const version = (last?.version ?? -1) + 1
  const delta = reader === undefined ? undefined : await deltaOf(live.item.path, content, version, versions, reader)
  const stored = delta?.bytes ?? content
  const pieces = []
  for (const bytes of writer.split(stored)) pieces.push(writer.piece(bytes, delta?.known))
  writer.add({
    type: 'version',
    item: writer.item(live.item),
    version,
    ...(delta === undefined ? {} : { base: delta.base }),
    size: content.length,
    sha256,
    pieces,
  })
  if (writer.isFull) await writer.continue(facts)
  if (last === undefined) return { outcome: 'new', size: content.length }
  return { outcome: 'changed', sizeBefore: last.size, size: content.length }
}

/**
 * Each version builds on the one that has its lowest binary digit cleared: making the thousandth takes ten
 * steps, and none of them stores the document again.
 */
async function deltaOf(
  path: string,
  content: Buffer,
  version: number,
  versions: readonly VersionChange[],
  reader: ContentReader,
): Promise<{ base: number; bytes: Buffer; known: Buffer } | undefined> {
  if (content.length < LEAST_DELTA_BYTES) return undefined
  const wanted = version & (version - 1)
  const base = versions.findLast(candidate => candidate.version <= wanted)?.version
  if (base === undefined) return undefined
  try {
    const known = await reader.version(path, base)
    const bytes = encodeDelta(known, content)
    return bytes.length > content.length * MAX_DELTA_SHARE ? undefined : { base, bytes, known }
  } catch (error) {
    // The older version is damaged in the archive: this one does not depend on it.
    if (hasErrorCode(error, 'archive-damaged')) return undefined
    throw error
  }
}

async function contentOf({ path, root, source }: LiveItem, options: DatabaseOptions): Promise<Buffer> {
  if (source !== undefined) {
    const rows = await readCanonicalRows(source.file, source.root, source.tables, options)
    if (rows.length > MAX_DOCUMENT_BYTES) throw tooLarge(path, rows.length)
    return rows
  }
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const file = openFile(path, root)
    try {
      const { size, key } = file.identity
      if (size > MAX_DOCUMENT_BYTES) throw tooLarge(path, size)
      const content = file.range(0, size)
      // An agent that writes in place may be in the middle of it.
      if (content.length === size && identityOf(statPath(path)).key === key) return content
    } finally {
      file.close()
    }
  }
  throw busyError(path, {
    text: `${path} was written to each time it was being copied.`,
    hint: 'The next pass copies it again: rethread archive',
  })
}

function tooLarge(path: string, size: number): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${path} has ${size} bytes, more than the ${MAX_DOCUMENT_BYTES} of a document that can be archived.`,
    hint: 'Copy it by other means. Logs of any size are archived.',
    path,
  })
}

export function isVersion(change: LoadedChange): change is LoadedChange<VersionChange> {
  return change.type === 'version'
}
