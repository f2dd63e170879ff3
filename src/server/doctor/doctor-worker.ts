// The thread that asks every store what its agent's own list shows, and that lists conversations again.
import { workerData } from 'node:worker_threads'
import type { FolderMove } from '../../agents/listing.ts'
import { type ContextPlaces, contextFor } from '../../catalog/context.ts'
import { makeLog } from '../../catalog/log.ts'
import { runDoctor } from '../../doctor/doctor.ts'
import { applyFixes, type Fix, type FixResult, planMoves, planRelinks } from '../../doctor/fix.ts'
import { inspectAll } from '../../doctor/inspect.ts'
import type { DoctorReport } from '../../doctor/report.ts'
import type { SessionRef } from '../../model/session.ts'
import { finishInterrupted } from '../../repair/repair.ts'
import { undoRepair } from '../../repair/undo.ts'
import { openVerdicts } from '../../repair/verdicts/verdict-cache.ts'
import { serveCalls } from '../../threads/serve.ts'
import type { PlannedMove } from '../api/doctor.ts'

const places = workerData as ContextPlaces
const context = contextFor(places, makeLog(places.state))

type Named = Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>

const calls = { examine, planMove, move, relink, undo }
export type DoctorCalls = typeof calls

serveCalls(calls)

async function examine(_: null): Promise<DoctorReport> {
  return (await runDoctor(context)).report
}

async function planMove(move: FolderMove): Promise<PlannedMove['agents']> {
  const fixes = await planMoves(await inspectAll(context), move)
  return fixes.map(({ agent, sessions, plan }) => {
    const later = plan.whenClosed ?? []
    const files = [...new Set([...plan.changes, ...later].map(({ file }) => file))]
    return {
      agent: agent.id,
      sessions: sessions.length,
      files: files.slice(0, MAX_FILES_SHOWN),
      moreFiles: Math.max(0, files.length - MAX_FILES_SHOWN),
      needsClosed: later.length > 0,
      notes: plan.notes,
    }
  })
}

const MAX_FILES_SHOWN = 12

async function move(wanted: FolderMove): Promise<FixResult[]> {
  return await apply(async () => await planMoves(await inspectAll(context), wanted))
}

async function relink({ sessions }: { sessions: readonly Named[] }): Promise<FixResult[]> {
  return await apply(async () => {
    const agents = context.agents.filter(({ id }) => sessions.some(({ agent }) => agent === id))
    const inspected = await inspectAll(context, { agents })
    const only = inspected.sessions.filter(session => sessions.some(each => isSame(each, session)))
    return await planRelinks(inspected, { only })
  })
}

async function undo({ receipt }: { receipt: string }): Promise<{ receipt: string }> {
  const verdicts = openVerdicts(context.state)
  try {
    return { receipt: (await undoRepair(context, receipt, { verdicts })).receipt.id }
  } finally {
    verdicts.close()
  }
}

async function apply(plan: () => Promise<Fix[]>): Promise<FixResult[]> {
  const verdicts = openVerdicts(context.state)
  try {
    await finishInterrupted(context)
    return await applyFixes(context, await plan(), { verdicts })
  } finally {
    verdicts.close()
  }
}

function isSame(a: Named, b: Named): boolean {
  return a.agent === b.agent && a.sessionId === b.sessionId && a.filePath === b.filePath
}
