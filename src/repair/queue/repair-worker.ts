// The thread that repairs and undoes.
import { workerData } from 'node:worker_threads'
import type { WriterSign } from '../../disk/processes/writers.ts'
import type { SessionRef } from '../../model/session.ts'
import type { RepairReport, Verdict } from '../../model/verdict.ts'
import { serveCalls } from '../../threads/serve.ts'
import { findActivity } from '../activity.ts'
import { cleanCopies } from '../clean-copies.ts'
import { finishInterrupted, repairSession } from '../repair.ts'
import { undoRepair } from '../undo.ts'
import { openVerdicts } from '../verdicts/verdict-cache.ts'
import { contextOf, type ThreadData } from './thread-data.ts'

export interface Undone {
  receipt: string
  restored: string[]
  left: string[]
}

const context = contextOf(workerData as ThreadData)

const calls = { tidy, activity, repair, undo }
export type RepairCalls = typeof calls

serveCalls(calls)

/** Finishes what a crash left half-way, and removes old copies. */
async function tidy(_: null): Promise<{ finished: string[]; removed: number }> {
  const finished = (await finishInterrupted(context)).map(({ text }) => text)
  const { removed } = await cleanCopies(context)
  return { finished, removed: removed.length }
}

/** Whether the session is being written. */
async function activity({ session }: { session: SessionRef }): Promise<{ sign?: WriterSign }> {
  const sign = await findActivity(context, session, [session.filePath])
  return sign === undefined ? {} : { sign }
}

async function repair(order: {
  session: SessionRef
  force: boolean
}): Promise<{ verdict: Verdict; report: RepairReport }> {
  return await withVerdicts(async verdicts => {
    const { verdict, report } = await repairSession(context, order.session, { verdicts, force: order.force })
    return { verdict, report }
  })
}

/** `which` is a receipt, or the id of a session. */
async function undo({ which, force }: { which: string; force: boolean }): Promise<Undone> {
  return await withVerdicts(async verdicts => {
    const { receipt, restored, left } = await undoRepair(context, which, { verdicts, force })
    return { receipt: receipt.id, restored, left }
  })
}

async function withVerdicts<Result>(step: (verdicts: ReturnType<typeof openVerdicts>) => Promise<Result>) {
  const verdicts = openVerdicts(context.state)
  try {
    return await step(verdicts)
  } finally {
    verdicts.close()
  }
}
