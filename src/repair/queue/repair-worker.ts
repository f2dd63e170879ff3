// A thread that plans, repairs and takes back: with a large session each of these takes seconds, in which whoever asked goes on.
import { parentPort, workerData } from 'node:worker_threads'
import { exists } from '../../disk/files/read.ts'
import type { WriterSign } from '../../disk/processes/writers.ts'
import { cleanVault } from '../../disk/vault/receipts.ts'
import type { ErrorDetails } from '../../model/errors.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Change } from '../../model/plan.ts'
import type { SessionRef } from '../../model/session.ts'
import type { RepairReport, Verdict } from '../../model/verdict.ts'
import { findActivity } from '../activity.ts'
import type { CheckContext } from '../check/check.ts'
import { checkSession } from '../check/check.ts'
import { finishInterrupted, repairSession } from '../repair.ts'
import { undoRepair } from '../undo.ts'
import { openVerdicts } from '../verdicts/verdict-cache.ts'
import type { WorkerSetUp } from './check-worker.ts'
import { agentsOf } from './thread-agents.ts'
import { endWhenAsked } from './threads.ts'

export type RepairTask =
  /** Finishes what a crash left half-way, and removes old copies. */
  | { type: 'tidy' }
  /** Whether the session is being written. */
  | { type: 'activity'; session: SessionRef }
  | { type: 'plan'; session: SessionRef }
  | { type: 'repair'; session: SessionRef; force: boolean }
  | { type: 'undo'; which: string; force: boolean }

export interface RepairResults {
  tidy: { finished: string[]; removed: number }
  activity: { sign?: WriterSign }
  plan: { verdict: Verdict; changes: Change[] }
  repair: { verdict: Verdict; report: RepairReport }
  undo: { receipt: string; restored: string[]; left: string[] }
}

export type RepairTaskMessage = { id: number; task: RepairTask }
export type RepairAnswer =
  | { id: number; result: RepairResults[RepairTask['type']] }
  | { id: number; refused: ErrorDetails }
  | { id: number; fault: unknown }

const { environment, state, journal } = workerData as WorkerSetUp
const context: CheckContext = { agents: agentsOf(journal), environment, state }
const port = parentPort
endWhenAsked(port)
let last: Promise<unknown> = Promise.resolve()

// One after the other: two sessions can share a file.
port?.on('message', (message: RepairTaskMessage | string) => {
  if (typeof message === 'string') return
  const { id, task } = message
  last = last.then(async () => port.postMessage(await answer(id, task)))
})

async function answer(id: number, task: RepairTask): Promise<RepairAnswer> {
  try {
    return { id, result: await carryOut(task) }
  } catch (error) {
    return error instanceof RethreadError ? { id, refused: detailsOf(error) } : { id, fault: error }
  }
}

async function carryOut(task: RepairTask): Promise<RepairResults[RepairTask['type']]> {
  switch (task.type) {
    case 'tidy':
      return await tidy()
    case 'activity': {
      const sign = await findActivity(context, task.session, [task.session.filePath])
      return sign === undefined ? {} : { sign }
    }
    case 'plan': {
      const { verdict, changes } = await checkSession(context, task.session)
      return { verdict, changes }
    }
    case 'repair':
      return await withVerdicts(async verdicts => {
        const { verdict, report } = await repairSession(context, task.session, { verdicts, force: task.force })
        return { verdict, report }
      })
    case 'undo':
      return await withVerdicts(async verdicts => {
        const { receipt, restored, left } = await undoRepair(context, task.which, { verdicts, force: task.force })
        return { receipt: receipt.id, restored, left }
      })
  }
}

async function tidy(): Promise<RepairResults['tidy']> {
  const finished = (await finishInterrupted(context)).map(({ text }) => text)
  const { removed } = await cleanVault(state, { sessionExists: ({ filePath }) => exists(filePath) })
  return { finished, removed: removed.length }
}

async function withVerdicts<Result>(step: (verdicts: ReturnType<typeof openVerdicts>) => Promise<Result>) {
  const verdicts = openVerdicts(state)
  try {
    return await step(verdicts)
  } finally {
    verdicts.close()
  }
}

/** An error loses its class between threads. */
function detailsOf({ code, message, hint, path, offset }: RethreadError): ErrorDetails {
  return {
    code,
    text: message,
    hint,
    ...(path === undefined ? {} : { path }),
    ...(offset === undefined ? {} : { offset }),
  }
}
