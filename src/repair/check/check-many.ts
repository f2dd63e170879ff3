// Verdicts on many sessions. Verdicts on unchanged sessions come from the cache. The others are checked, in
// worker threads where there is enough to do.
import { availableParallelism } from 'node:os'
import { failureOf } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { Verdicts } from '../verdicts/verdict-cache.ts'
import type { CheckContext, SessionCheckOptions } from './check.ts'
import type { CheckedSession } from './check-for-cache.ts'
import { checkForCache } from './check-for-cache.ts'
import { checkHere, countShortLogs } from './check-here.ts'

/** Below this size, starting threads takes longer than checking. */
const WORTH_THREADS_BYTES = 16 * 1024 * 1024

/** Checked in less time than a person notices. */
const MAX_BLOCKING_BYTES = 512 * 1024 * 1024
/** The same for a log that is scanned in parts, because the thread is free between them. */
const MAX_IN_PARTS_BYTES = 4 * 1024 * 1024 * 1024

/**
 * With two processors, one thread checks up to this size: a second thread would compile the same code again, on
 * the processor that V8's own compiler threads use.
 */
const MAX_ALONE_BYTES = 128 * 1024 * 1024
/** The same for short logs, which a thread that loads little scans ahead. */
const MAX_AHEAD_BYTES = 1024 * 1024 * 1024
const FEW_PROCESSORS = 2

export interface CheckManyOptions extends SessionCheckOptions {
  verdicts?: Pick<Verdicts, 'find' | 'set' | 'load'>
  /** Called as verdicts arrive, in no particular order. */
  onVerdict?(verdict: Verdict, session: SessionRef, isCached: boolean): void
  /** The sessions were found a moment ago, so a cached verdict needs no further look at their files. */
  areJustFound?: boolean
  /** The caller waits for nothing else: one large session may be checked in its thread. */
  mayBlock?: boolean
  /** Gets the project folder of each session for which the check knows it. */
  projects?: Map<SessionRef, string>
}

/**
 * Returns verdicts in the order of the sessions. A session that cannot be checked gets a verdict that says
 * so; the others are still checked.
 */
export async function checkMany(
  context: CheckContext,
  sessions: readonly SessionRef[],
  options: CheckManyOptions = {},
): Promise<Verdict[]> {
  // Most are known, so only the others are found by their session.
  const found: (Verdict | undefined)[] = []
  const places = new Map<SessionRef, number>()
  const note = (place: number, session: SessionRef, verdict: Verdict, isCached: boolean, project?: string): void => {
    found[place] = verdict
    if (project !== undefined) options.projects?.set(session, project)
    options.onVerdict?.(verdict, session, isCached)
  }
  const cached = cachedVerdicts(sessions, options)
  for (const [place, session] of sessions.entries()) {
    const known = cached?.find(session)
    if (known === undefined) places.set(session, place)
    else note(place, session, known.verdict, true, known.project)
  }
  await checkRest(context, [...places.keys()], options, (session, verdict, project) =>
    note(places.get(session) ?? sessions.length, session, verdict, false, project),
  )
  return sessions.flatMap((session, place) => found[place] ?? found[places.get(session) ?? place] ?? [])
}

/** Undefined where every session has to be checked. */
function cachedVerdicts(
  sessions: readonly SessionRef[],
  { verdicts, force, areJustFound = false }: CheckManyOptions,
): Pick<Verdicts, 'find'> | undefined {
  if (verdicts === undefined || force === true) return undefined
  if (sessions.length > 1) verdicts.load(areJustFound)
  return verdicts
}

async function checkRest(
  context: CheckContext,
  sessions: readonly SessionRef[],
  options: CheckManyOptions,
  note: Note,
): Promise<void> {
  if (sessions.length === 0) return
  const bytes = sessions.reduce((sum, { fileSize }) => sum + fileSize, 0)
  if (bytes <= WORTH_THREADS_BYTES || (options.mayBlock === true && (await isFasterAlone(context, sessions, bytes)))) {
    // Smaller logs are scanned without a second thread.
    const longest = sessions.reduce((most, { fileSize }) => Math.max(most, fileSize), 0)
    if (longest > WORTH_THREADS_BYTES) {
      const { warmUpScan } = await import('../scan/scan-in-threads.ts')
      warmUpScan(longest)
    }
    await checkHere(context, sessions, {
      onHealthy: noteChecked,
      check: (session, how) =>
        checkOne(session, options, (_, own) => checkForCache(context, session, { ...own, ...how }), note),
    })
    return
  }
  const { CHECKS_PER_THREAD, checkTogether, openCheckThreads } = await import('../queue/threads.ts')
  const here = options.mayBlock === true ? checkForCache : undefined
  const { shareBatches } = await import('../../threads/batches.ts')
  const count = Math.max(1, availableParallelism() - (here === undefined ? 0 : 1))
  const threads = openCheckThreads(context, count)
  const how = optionsOfCheck(options)
  try {
    await shareBatches(sessions, {
      lanes: count * CHECKS_PER_THREAD,
      async there(batch) {
        const checked = await checkTogether(threads, batch, how)
        for (const [place, session] of batch.entries()) {
          const check: Check = async () => checked?.[place] ?? (await threads.call('check', { session, ...how }))
          await checkOne(session, options, check, note)
        }
      },
      here: here === undefined ? undefined : batch => checkEach(batch, (session, own) => here(context, session, own)),
    })
  } finally {
    await threads.close()
  }

  function noteChecked(session: SessionRef, { verdict, project, origin }: CheckedSession): void {
    if (options.force !== true) options.verdicts?.set(session, verdict, origin, project)
    note(session, verdict, project)
  }

  async function checkEach(batch: readonly SessionRef[], check: Check): Promise<void> {
    for (const session of batch) await checkOne(session, options, check, note)
  }
}

async function isFasterAlone(context: CheckContext, sessions: readonly SessionRef[], bytes: number): Promise<boolean> {
  const [first, ...others] = sessions
  if (first === undefined || others.length > 0) {
    if (availableParallelism() > FEW_PROCESSORS || bytes > MAX_AHEAD_BYTES) return false
    if (bytes <= MAX_ALONE_BYTES) return true
    return bytes - (await countShortLogs(context, sessions)) <= MAX_ALONE_BYTES
  }
  return bytes <= MAX_BLOCKING_BYTES || (bytes <= MAX_IN_PARTS_BYTES && (await isScannedInParts(context, first)))
}

async function isScannedInParts({ agents }: CheckContext, session: SessionRef): Promise<boolean> {
  if (session.archived !== undefined) return false
  const { findStore } = await import('../../agents/store.ts')
  const { repairOf } = await import('../verdicts/origin.ts')
  const { canScanInParts } = await import('../scan/scan-in-threads.ts')
  const store = findStore(
    agents.find(({ id }) => id === session.agent),
    session,
  )
  const repair = store && (await repairOf(store))
  return repair?.framing === 'json-lines' && canScanInParts(session.fileSize, repair)
}

function optionsOfCheck({ force }: CheckManyOptions): SessionCheckOptions {
  return force === undefined ? {} : { force }
}

type Check = (session: SessionRef, options: SessionCheckOptions) => Promise<CheckedSession>
type Note = (session: SessionRef, verdict: Verdict, project?: string) => void

async function checkOne(session: SessionRef, options: CheckManyOptions, check: Check, note: Note): Promise<void> {
  const { force, verdicts } = options
  try {
    const { verdict, project, origin } = await check(session, optionsOfCheck(options))
    if (force !== true) verdicts?.set(session, verdict, origin, project)
    note(session, verdict, project)
  } catch (error) {
    // An internal error in one session is reported as the verdict on that session.
    const { failedVerdict } = await import('./failed-verdict.ts')
    const { code, text, hint } = failureOf(session.agent, error, session.filePath)
    note(session, failedVerdict(session, { code, text, hint }))
  }
}
