// The verdict on one session with what else a cache stores. Most logs are plain and need no more than their lines. The
// classes of damage are loaded for the others.
import { awaitProjectInHead, readProjectInHead } from '../../agents/project-in-head.ts'
import type { LogRepair } from '../../agents/repair.ts'
import { findStore, type Store } from '../../agents/store.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import { openFile } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Verdict } from '../../model/verdict.ts'
import { CACHED_FROM_BYTES } from '../scan/index-cache.ts'
import { type Origin, originOfCheck, repairOf } from '../verdicts/origin.ts'
import type { CheckContext, SessionCheckOptions } from './check.ts'
import { checkPlainFile, type LogTarget } from './check-plain.ts'

/** A verdict, and what else is known of the session without reading it once more. */
export interface CheckedSession {
  verdict: Verdict
  /** That of the file before it was read. */
  identity: string
  /** Taken before anything was read. */
  origin: Origin
  /** Undefined where only a reading of the whole session says it. */
  project?: string | undefined
}

export interface CacheCheckOptions extends SessionCheckOptions {
  /** The session is known not to be a plain log. */
  isUnusual?: boolean
}

export async function checkForCache(
  context: CheckContext,
  session: SessionRef,
  { isUnusual = false, ...options }: CacheCheckOptions = {},
): Promise<CheckedSession> {
  const target = await findLog(context, session)
  const file = target && openIfPossible(session)
  try {
    const origin = await originOfCheck(context, session, options.marks, file?.identity)
    const plain = target && file && !isUnusual ? await checkPlainFile(context, target, session, file) : undefined
    if (plain !== undefined) return { ...plain, origin }
    const { checkSession } = await import('./check.ts')
    let project: string | undefined
    const onOpen = (opened: OpenFile, store: Store): void => {
      // Of a long log, only what is new may be read.
      if (opened.identity.size >= CACHED_FROM_BYTES) project = readProjectInHead(store, session, opened)
      else
        awaitProjectInHead(store, session, opened, found => {
          project = found
        })
    }
    const checked = await checkSession(context, session, { ...options, onOpen, file })
    const { verdict, identity } = checked
    return { verdict, identity, origin, project: project ?? checked.project }
  } finally {
    file?.close()
  }
}

/** Undefined for a session of another kind. */
async function findLog({ agents }: CheckContext, session: SessionRef): Promise<LogTarget | undefined> {
  const agent = agents.find(({ id }) => id === session.agent)
  const store = session.archived === undefined ? findStore(agent, session) : undefined
  const repair = store && (await repairOf(store))
  return agent && store && isLogRepair(repair) ? { agent, store, repair } : undefined
}

export function isLogRepair(repair: { framing: string } | undefined): repair is LogRepair {
  return repair?.framing === 'json-lines'
}

/** Undefined where the check will say why its file cannot be opened. */
function openIfPossible({ filePath, storeRoot }: SessionRef): OpenFile | undefined {
  try {
    return openFile(filePath, storeRoot)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return undefined
  }
}
