// Checks the pages of a database once for each of its states, however many sessions it holds. For a damaged
// database, a rebuilt copy is cached with the result; it shows what a repair would leave.
import type { DatabaseRepair } from '../../agents/repair.ts'
import { checkPages, describeLosses, type Trial, tryRebuild } from '../../disk/sqlite/check-pages.ts'
import { type DatabaseOptions, databaseMark } from '../../disk/sqlite/read-database.ts'
import { hasErrorCode } from '../../model/errors.ts'
import { type PageCheck, SOUND } from '../../model/page-check.ts'
import type { SessionRef } from '../../model/session.ts'

export interface PagesResult {
  check: PageCheck
  /**
   * The database as a rebuild would leave it. Absent where the database is sound, or nothing can be saved.
   */
  rebuilt?: Trial
}

/** Cached results. There are never many databases. */
const MAX_CACHED = 16

interface CachedResult {
  pages: Promise<PagesResult>
  users: number
}

const cache = new Map<string, CachedResult>()

/** The rebuilt copy exists until `use` has finished. Throws `database-busy`. */
export async function withPages<T>(
  session: SessionRef,
  repair: DatabaseRepair,
  use: (pages: PagesResult) => Promise<T>,
  options: DatabaseOptions = {},
): Promise<T> {
  const key = `${session.filePath} ${databaseMark(session.filePath)}`
  const entry = cache.get(key) ?? { pages: checkAndRebuild(session, repair, options), users: 0 }
  cache.delete(key)
  cache.set(key, entry)
  entry.users++
  try {
    return await use(await resultOf(key, entry))
  } finally {
    entry.users--
    await evictOldest()
  }
}

/** A failure is not cached: a locked database may be free a moment later. */
async function resultOf(key: string, entry: CachedResult): Promise<PagesResult> {
  try {
    return await entry.pages
  } catch (error) {
    if (cache.get(key) === entry) cache.delete(key)
    throw error
  }
}

async function checkAndRebuild(
  session: SessionRef,
  repair: DatabaseRepair,
  options: DatabaseOptions,
): Promise<PagesResult> {
  const problems = await checkPages(session.filePath, session.storeRoot, options)
  if (problems.length === 0) return { check: SOUND }
  try {
    const rebuilt = tryRebuild(session.filePath, repair.fills ?? [])
    removeOnExit(rebuilt)
    const { filled } = rebuilt.report
    return { check: { problems, losses: describeLosses(rebuilt.report), filled }, rebuilt }
  } catch (error) {
    if (!hasErrorCode(error, 'database-corrupt') || !(error instanceof Error)) throw error
    return { check: { problems, refused: error.message } }
  }
}

async function evictOldest(): Promise<void> {
  for (const [key, entry] of cache) {
    if (cache.size <= MAX_CACHED) return
    if (entry.users > 0) continue
    cache.delete(key)
    const { rebuilt } = await entry.pages
    if (rebuilt === undefined) continue
    process.off('exit', rebuilt.remove)
    rebuilt.remove()
  }
}

/** A rebuilt copy holds everything the database holds, so it must not outlive this process. */
function removeOnExit({ remove }: Trial): void {
  process.once('exit', remove)
}
