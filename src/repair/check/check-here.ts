// Many sessions in this thread, with one other thread that reads and scans short logs ahead.
import { sep } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { PlainLog } from '../../agents/repair.ts'
import { findStore, type Store } from '../../agents/store.ts'
import { makeFileOpener } from '../../disk/files/read-once.ts'
import type { SessionRef } from '../../model/session.ts'
import { batchesOf } from '../../threads/batches.ts'
import { CACHED_FROM_BYTES } from '../scan/index-cache.ts'
import type { LogAhead, LogBatch } from '../scan/scan-ahead.ts'
import { openLogHere, scanAhead, warmUpAhead } from '../scan/scan-ahead.ts'
import { type Marks, repairOf } from '../verdicts/origin.ts'
import type { CheckContext } from './check.ts'
import type { CacheCheckOptions, CheckedSession } from './check-for-cache.ts'
import { isLogRepair } from './check-for-cache.ts'
import { checkPlain, type LogTarget } from './check-plain.ts'

export interface CheckingHere {
  onHealthy(session: SessionRef, checked: CheckedSession): void
  /** Checks any other session. `marks` are those of its batch. */
  check(session: SessionRef, options: Pick<CacheCheckOptions, 'marks' | 'isUnusual'>): Promise<void>
}

interface ShortLogs extends LogBatch<SessionRef> {
  target: Target
}

interface Target extends LogTarget {
  plain: PlainLog | undefined
  /** How often the short way led to a verdict, and how often it did not. */
  hits: number
  misses: number
}

/** After so many misses and no hit, the short way is not tried any more for a store. */
const MAX_MISSES = 16

export async function checkHere(
  context: CheckContext,
  sessions: readonly SessionRef[],
  { onHealthy, check }: CheckingHere,
): Promise<void> {
  warmUpAhead(sessions.reduce((sum, { fileSize }) => sum + (fileSize < CACHED_FROM_BYTES ? fileSize : 0), 0))
  const { batches, others } = await sortOut(context, sessions)
  // The same thread helps with a large log.
  for (const batch of batchesOf(others)) {
    const marks: Marks = new Map()
    for (const session of batch) await check(session, { marks })
    // So that an interrupt is noticed.
    await setImmediate()
  }
  const scanning = scanAhead(batches)
  try {
    for await (const { batch, ahead } of scanning) {
      const run: BatchRun = { context, target: batch.target, marks: new Map(), open: makeFileOpener() }
      for (let place = 0; place < batch.logs.length; place++) {
        const session = batch.logs[place] as SessionRef
        const shortly = checkShortly(run, session, ahead[place])
        // Most logs are plain, and waiting takes time as well.
        const checked = shortly instanceof Promise ? await shortly : shortly
        if (checked === undefined) await check(session, { marks: run.marks, isUnusual: true })
        else onHealthy(session, checked)
      }
      // Lets arrive what the other thread sent, too.
      await setImmediate()
    }
  } finally {
    scanning.close()
  }
}

interface BatchRun {
  context: CheckContext
  target: Target
  marks: Marks
  open: ReturnType<typeof makeFileOpener>
}

/** The bytes of the sessions that another thread can scan ahead. */
export async function countShortLogs(context: CheckContext, sessions: readonly SessionRef[]): Promise<number> {
  let bytes = 0
  for (const { repair, logs } of (await sortOut(context, sessions)).batches)
    if (repair.fields !== undefined) for (const { fileSize } of logs) bytes += fileSize
  return bytes
}

/** Undefined where the session has to be checked. */
function checkShortly(
  run: BatchRun,
  session: SessionRef,
  ahead: LogAhead | undefined,
): CheckedSession | Promise<CheckedSession | undefined> | undefined {
  const { context, target, marks, open } = run
  const { plain, repair } = target
  if (target.hits === 0 && target.misses >= MAX_MISSES) return undefined
  const log = ahead ?? openLogHere(session, repair, open)
  if (log === undefined) return noteMiss(target)
  const checked = plain && checkPlain(context, target, plain, session, log, marks)
  if (checked === undefined) return checkUnusual(run, session, log)
  log.file.close()
  target.hits++
  return checked
}

/** In a store whose logs are plain, the classes of damage are never loaded. */
async function checkUnusual(
  { context, target, marks }: BatchRun,
  session: SessionRef,
  log: LogAhead,
): Promise<CheckedSession | undefined> {
  checkIfHealthy ??= (await import('./check-if-healthy.ts')).checkIfHealthy
  const checked = await checkIfHealthy(context, target, session, log, marks)
  if (checked === undefined) return noteMiss(target)
  target.hits++
  return checked
}

function noteMiss(target: Target): undefined {
  target.misses++
}

let checkIfHealthy: typeof import('./check-if-healthy.ts').checkIfHealthy | undefined

interface Sorted {
  /** Those of one store together. */
  batches: ShortLogs[]
  others: SessionRef[]
}

async function sortOut({ agents }: CheckContext, sessions: readonly SessionRef[]): Promise<Sorted> {
  const logs = new Map<Store, { target: Target; sessions: SessionRef[] }>()
  const others: SessionRef[] = []
  for (const session of sessions) {
    const agent = agents.find(({ id }) => id === session.agent)
    const store = session.archived === undefined ? findStore(agent, session) : undefined
    const known = store && logs.get(store)
    const repair = known?.target.repair ?? (store && (await repairOf(store)))
    if (agent === undefined || store === undefined || !isLogRepair(repair) || session.fileSize >= CACHED_FROM_BYTES)
      others.push(session)
    else if (known === undefined)
      logs.set(store, {
        target: { agent, store, repair, plain: repair.makePlain?.(), hits: 0, misses: 0 },
        sessions: [session],
      })
    else known.sessions.push(session)
  }
  const batches: ShortLogs[] = []
  for (const { target, sessions: short } of logs.values())
    for (const batch of batchesOf(byFolder(short))) batches.push({ target, repair: target.repair, logs: batch })
  return { batches, others }
}

/** Those of one folder together: what is known about the folder counts for the next one. */
function byFolder(sessions: readonly SessionRef[]): SessionRef[] {
  const folders = new Map<string, SessionRef[]>()
  for (const session of sessions) {
    const folder = session.filePath.slice(0, session.filePath.lastIndexOf(sep))
    const others = folders.get(folder)
    if (others === undefined) folders.set(folder, [session])
    else others.push(session)
  }
  return [...folders.values()].flat()
}
