// The doctor of the server: its report for the page, and what makes agents list conversations again.
// Everything runs in one thread, one call after the other.
import { createHash } from 'node:crypto'
import type { FolderMove } from '../../agents/listing.ts'
import { type Context, placesOf } from '../../catalog/context.ts'
import type { FixResult } from '../../doctor/fix.ts'
import type { DoctorFinding, DoctorReport } from '../../doctor/report.ts'
import { RethreadError } from '../../model/errors.ts'
import { ThreadPool, workerFile } from '../../threads/pool.ts'
import type { DoctorAnswer, MissingSession, MovedFolder, PlannedMove } from '../api/doctor.ts'
import type { ServedSession, SessionCatalog } from '../sessions/index.ts'
import { keyOfSession } from '../sessions/index.ts'
import type { DoctorCalls } from './doctor-worker.ts'

export interface Doctor {
  /** The last report is used again for a while, unless a new one is wanted. */
  answer(options?: { isFresh?: boolean }): Promise<DoctorAnswer>
  planMove(id: string): Promise<PlannedMove>
  move(id: string): Promise<FixResult[]>
  relink(sessions: readonly ServedSession[]): Promise<FixResult[]>
  undo(receipt: string): Promise<string>
  stop(): Promise<void>
}

export interface DoctorParts {
  context: Context
  sessions: Pick<SessionCatalog, 'get' | 'refresh' | 'revision'>
}

/** A report is reused this long while no session changes: folders can move without such a change. */
const FRESH_MS = 20_000

export function makeDoctor({ context, sessions }: DoctorParts): Doctor {
  const threads = new ThreadPool<DoctorCalls>({
    file: workerFile(import.meta.url, 'doctor-worker'),
    size: 1,
    data: () => placesOf(context),
    died: (_, cause) => threadDied(cause),
  })
  let known: { report: Promise<DoctorReport>; revision: number; at: number } | undefined

  const examine = async (): Promise<DoctorReport> => {
    const { revision } = sessions
    const isFresh = known !== undefined && known.revision === revision && Date.now() - known.at < FRESH_MS
    if (known !== undefined && isFresh) return await known.report
    const report = threads.call('examine', null)
    const asked = { report, revision, at: Date.now() }
    known = asked
    // A failure is not kept.
    report.catch(() => {
      if (known === asked) known = undefined
    })
    return await report
  }
  const moveOf = async (id: string): Promise<FolderMove> => {
    const found = movedOf(await examine()).find(move => move.id === id)
    if (found === undefined) throw noMove()
    return { from: found.from, to: found.to }
  }
  /** The list shows what changed before the answer arrives. */
  const changed = async <Result>(done: Promise<Result>): Promise<Result> => {
    try {
      return await done
    } finally {
      known = undefined
      await sessions.refresh()
    }
  }
  return {
    async answer({ isFresh = false } = {}) {
      if (isFresh) known = undefined
      const report = await examine()
      const { findings, totals, failures } = report
      return { findings, totals, failures, missing: missingOf(report, sessions), moved: movedOf(report) }
    },
    async planMove(id) {
      const move = await moveOf(id)
      return { ...move, agents: await threads.call('planMove', move) }
    },
    move: async id => await changed(threads.call('move', await moveOf(id))),
    relink: async served => {
      const named = served.map(({ session: { agent, sessionId, filePath } }) => ({ agent, sessionId, filePath }))
      return await changed(threads.call('relink', { sessions: named }))
    },
    undo: async receipt => (await changed(threads.call('undo', { receipt }))).receipt,
    stop: () => threads.close(),
  }
}

function missingOf({ findings, sessions }: DoctorReport, served: DoctorParts['sessions']): MissingSession[] {
  const causes = findings.filter(({ kind, severity }) => kind === 'unlisted' && severity === 'lost')
  return sessions.flatMap(session => {
    const { agent, sessionId, folder, reason, state } = session
    const cause = state === 'unlisted' && reason !== undefined ? causeOf(causes, session) : undefined
    if (cause === undefined || reason === undefined) return []
    const key = keyOfSession(session)
    const row = served.get(key)?.row
    const common = { agent, sessionId, folder, reason, text: cause.text, isFixable: cause.isFixable }
    return [{ ...common, title: row?.title ?? null, ...(row === undefined ? {} : { key }) }]
  })
}

/** A finding names only some of its sessions. */
function causeOf(
  causes: readonly DoctorFinding[],
  session: DoctorReport['sessions'][number],
): DoctorFinding | undefined {
  const same = causes.filter(({ agent, reason }) => agent === session.agent && reason === session.reason)
  return same.find(({ sessions }) => sessions.some(({ sessionId }) => sessionId === session.sessionId)) ?? same[0]
}

function movedOf({ findings }: DoctorReport): MovedFolder[] {
  return findings.flatMap(({ kind, folder, counts, evidence }) => {
    if (kind !== 'folder-moved' || folder?.to === undefined) return []
    const { from, to } = folder
    const id = createHash('sha256').update(`${from}\n${to}`).digest('hex').slice(0, 24)
    return [{ id, from, to, counts, evidence }]
  })
}

function noMove(): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: 'This folder is no longer among those that moved.',
    hint: 'See what is missing now: rethread doctor',
  })
}

function threadDied(cause: unknown): RethreadError {
  return new RethreadError({
    code: 'fault',
    text: `The examination stopped because of a fault in rethread: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: 'Nothing that was healthy is changed. See what is missing: rethread doctor',
    cause,
  })
}
