// The index of a log on disk. The index of a long log is cached. A log that has only grown since is scanned
// from where the last check ended.
import type { LogRepair } from '../../agents/repair.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import { openCacheFile, writeCacheFile } from '../../disk/state/file-cache.ts'
import type { SessionRef } from '../../model/session.ts'
import { chooseScanner } from './choose-scanner.ts'
import { bestEffort, INDEX_CACHE, indexKey } from './index-cache.ts'
import { indexInThreads } from './scan-in-threads.ts'
import type { IndexedLog, KnownStart, ScannedLog } from './scan-log.ts'
import { indexGrownLog } from './scan-log.ts'
import type { IndexSubject } from './stored-index.ts'
import { formatIndex, parseIndex } from './stored-index.ts'
import { checksumOf } from './summed-parts.ts'

export interface IndexCacheOptions {
  state: string
  /** The version of the rules by which records are described. */
  rules: string
  /** Shorter logs are scanned again instead of cached: the index of a long log takes some megabytes. */
  fromBytes: number
  /** A cached index is used, but a new one is not stored. */
  isOnlyRead?: boolean
}

export function indexFile(
  file: OpenFile,
  session: SessionRef,
  repair: LogRepair,
  cache: IndexCacheOptions,
): IndexedLog {
  const cached = openCached(file, session, cache)
  return cached.store(indexRest(file, repair, cached.known)).log
}

/** The same. A large log is scanned by two threads where that is possible. */
export async function indexFileInThreads(
  file: OpenFile,
  session: SessionRef,
  repair: LogRepair,
  cache: IndexCacheOptions,
): Promise<ScannedLog> {
  const { known, store } = openCached(file, session, cache)
  const scanned = await indexInThreads(file, session.storeRoot, repair, known, chooseScanner())
  return store(scanned ?? indexRest(file, repair, known))
}

function indexRest(file: OpenFile, repair: LogRepair, known: KnownStart | undefined): ScannedLog {
  const scanner = chooseScanner()
  const chunks = file.chunks(known?.offset, file.identity.size, scanner.chunkBuffer())
  return indexGrownLog(chunks, repair, known, scanner)
}

/** The cached index of a log, if it still fits, and how to cache the one that replaces it. */
function openCached(
  file: OpenFile,
  session: SessionRef,
  { state, rules, fromBytes, isOnlyRead = false }: IndexCacheOptions,
) {
  const subject = subjectOf(file, session, rules)
  const known = bestEffort(() => readCachedIndex(state, session, subject, file))
  return {
    known,
    store({ log, resume }: ScannedLog): ScannedLog {
      if (!isOnlyRead && resume !== undefined && resume.offset - (known?.offset ?? 0) >= fromBytes)
        bestEffort(() => writeCacheFile(state, INDEX_CACHE, indexKey(session), formatIndex(subject, log, resume)))
      return { log, resume }
    },
  }
}

function subjectOf({ identity: { device, inode } }: OpenFile, session: SessionRef, rules: string): IndexSubject {
  return { key: `${session.generation} ${indexKey(session)}`, rules, device, inode }
}

/**
 * Returns the cached index of this file if every byte before its resume point is unchanged. A file that was
 * changed in place has not only grown.
 */
function readCachedIndex(
  state: string,
  session: SessionRef,
  subject: IndexSubject,
  file: OpenFile,
): KnownStart | undefined {
  const cached = openCacheFile(state, INDEX_CACHE, indexKey(session))
  if (cached === undefined) return undefined
  try {
    const known = parseIndex(cached, subject)
    if (known === undefined || known.offset > file.identity.size) return undefined
    return checksumOf(file, 0, known.offset) === known.checksum ? known : undefined
  } finally {
    cached.close()
  }
}
