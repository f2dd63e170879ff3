// Repairs and undos that this page requested: the open question, the running actions, and their outcomes.
import { toast } from 'sonner'
import type {
  RepairAnswer,
  RestoreBody,
  SanitizeDecisions,
  SanitizeLine,
  UndoAnswer,
} from '../../../src/server/protocol.ts'
import { cleanText } from '../common/clean.ts'
import { formatMoment } from '../common/format.ts'
import type { Failure } from '../common/states.tsx'
import { ApiFailure, api, archiveApi, sanitizeApi } from '../state/api.ts'
import { makeStore } from '../state/store.ts'
import { openSession, showPane, view } from '../state/view.ts'

export type Work = 'repairing' | 'undoing' | 'restoring'

export type Outcome =
  | { type: 'repaired'; edits: number }
  | { type: 'nothing-to-do' }
  | { type: 'decided'; lines: readonly SanitizeLine[] }
  | { type: 'undone'; notes: readonly string[] }
  | { type: 'restored'; time: string; isIncomplete: boolean; hasReceipt: boolean }
  | { type: 'failed'; failure: Failure }

/** The session in the repair dialog, and whether its bytes are shown at once. */
export const repairAsked = makeStore<{ key: string; hasBytes: boolean } | null>(null)
/** By the key of the session. */
export const works = makeStore<ReadonlyMap<string, Work>>(new Map())
export const outcomes = makeStore<ReadonlyMap<string, Outcome>>(new Map())
/** The session whose health is on the screen. Its outcome is shown there, without a toast. */
export const shownHealth = makeStore<string | null>(null)

export async function runRepair(key: string): Promise<void> {
  await during(key, 'repairing', async () => outcomeOf(await api.repair(key)))
}

/** Applies the decisions of the user. */
export async function runSanitize(key: string, decisions: SanitizeDecisions): Promise<void> {
  let newKey: string | null = null
  await during(key, 'repairing', async () => {
    const answer = await sanitizeApi.decide(key, decisions)
    newKey = answer.newKey
    return decided(answer.lines)
  })
  if (newKey !== null) follow(key, newKey)
}

/** The session has a new key, so its outcome is moved there. */
function follow(key: string, newKey: string): void {
  const outcome = outcomes.get().get(key)
  if (outcome !== undefined) outcomes.set(before => new Map(without(before, key)).set(newKey, outcome))
  const { session, pane } = view.get()
  if (session !== key) return
  openSession(newKey)
  showPane(pane)
}

/** Without a receipt, undoes the last repair. */
export async function runUndo(key: string, receipt?: string): Promise<void> {
  await during(key, 'undoing', async () => undone(await api.undo(key, receipt)))
}

/** Returns why it was refused; undefined if it was restored. The restored session is opened. */
export async function runRestore(key: string, wanted: RestoreBody): Promise<ApiFailure | undefined> {
  if (works.get().has(key)) return undefined
  works.set(before => new Map(before).set(key, 'restoring'))
  forgetOutcome(key)
  try {
    const { key: restored, time, isIncomplete, receipt } = await archiveApi.restore(key, wanted)
    const outcome: Outcome = { type: 'restored', time, isIncomplete, hasReceipt: receipt !== null }
    const { session, pane } = view.get()
    if (session === key) {
      openSession(restored)
      showPane(pane)
    }
    outcomes.set(before => new Map(before).set(restored, outcome))
    toastUnlessShown(restored, outcome)
    return undefined
  } catch (error) {
    if (error instanceof ApiFailure) return error
    throw error
  } finally {
    works.set(before => without(before, key))
  }
}

export function forgetOutcome(key: string): void {
  outcomes.set(before => without(before, key))
}

async function during(key: string, work: Work, step: () => Promise<Outcome>): Promise<void> {
  if (works.get().has(key)) return
  works.set(before => new Map(before).set(key, work))
  forgetOutcome(key)
  const outcome = await step().catch(failed)
  works.set(before => without(before, key))
  outcomes.set(before => new Map(before).set(key, outcome))
  toastUnlessShown(key, outcome)
}

function outcomeOf({ report }: RepairAnswer): Outcome {
  switch (report.status) {
    case 'repaired':
      return { type: 'repaired', edits: report.edits }
    case 'already_healthy':
      return { type: 'nothing-to-do' }
    case 'failed':
    case 'refused': {
      const { code = report.status, text = 'Nothing was changed.', hint = '' } = report.error ?? {}
      return { type: 'failed', failure: { code, message: text, hint } }
    }
  }
}

function decided(lines: readonly SanitizeLine[]): Outcome {
  return lines.length === 0 ? { type: 'nothing-to-do' } : { type: 'decided', lines }
}

function undone({ notes }: UndoAnswer): Outcome {
  return { type: 'undone', notes }
}

function failed(error: unknown): Outcome {
  if (error instanceof ApiFailure) return { type: 'failed', failure: error }
  throw error
}

/**
 * A toast for actions from the list, where the health pane is hidden. A successful repair shows in the status
 * mark.
 */
function toastUnlessShown(key: string, outcome: Outcome): void {
  if (shownHealth.get() === key) return
  if (outcome.type === 'undone') toast('It was undone.')
  if (outcome.type === 'nothing-to-do') toast('Nothing needs repair here.')
  if (outcome.type === 'restored')
    toast(`Restored as of ${formatMoment(outcome.time)}.`, {
      ...(outcome.hasReceipt ? { action: { label: 'Undo', onClick: () => void runUndo(key) } } : {}),
    })
  if (outcome.type === 'failed')
    toast.error(cleanText(outcome.failure.message), { description: cleanText(outcome.failure.hint) })
}

function without<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  if (!map.has(key)) return map
  const left = new Map(map)
  left.delete(key)
  return left
}
