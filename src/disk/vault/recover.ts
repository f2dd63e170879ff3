// Finishes or rolls back what a repair or an undo left half done when its process died, and reports it.
import { type ErrorCode, hasErrorCode, RethreadError } from '../../model/errors.ts'
import { withLock } from '../processes/session-lock.ts'
import { type DatabaseWriters, sqliteWriters } from './database-writer.ts'
import type { Receipt } from './receipt.ts'
import { areAllDone, preparedAfterMoves, preparedOf, revertChanges } from './roll-back.ts'
import { listUnfinished, loadVault, type Unfinished } from './stored-vaults.ts'
import { closeVault, discardVault, removeMarker, type Vault } from './vault.ts'

export interface Recovered {
  receipt: string
  agent: string
  sessionId: string
  filePath: string
  /** `skipped`: it must not be changed now and is left for the next run. */
  outcome: 'nothing-changed' | 'finished' | 'taken-back' | 'undo-finished' | 'skipped' | 'failed'
  /** A sentence for the user. */
  text: string
  /** Why it was skipped. */
  code?: ErrorCode
}

export interface RecoverOptions {
  /**
   * Keeps a session's agent away while rethread writes. Throws `locked` where the agent is using the session,
   * `unsupported` where that cannot be known.
   */
  hold?(session: Pick<Unfinished, 'agent' | 'sessionId' | 'filePath'>): { release(): void } | undefined
  /** Only changes to sessions of this agent. */
  agent?: string
  /** Replaced by tests. */
  databases?: DatabaseWriters
}

const NOT_NOW = new Set<ErrorCode>(['locked', 'unsupported'])
const LEFT = 'was interrupted, and is left for the next run.'

/** Must be called before anything new is planned. Leaves alone what another rethread is working on. */
export async function recoverInterrupted(state: string, options: RecoverOptions = {}): Promise<Recovered[]> {
  const recovered: Recovered[] = []
  for (const open of listUnfinished(state)) {
    if (options.agent !== undefined && open.agent !== options.agent) continue
    try {
      const report = await withLock(state, open, () => recoverOne(state, open, options))
      if (report !== undefined) recovered.push(report)
    } catch (error) {
      if (hasErrorCode(error, 'locked')) continue
      recovered.push(
        reportOf(open, 'failed', `could not be settled: ${error instanceof Error ? error.message : String(error)}`),
      )
    }
  }
  return recovered
}

async function recoverOne(state: string, open: Unfinished, options: RecoverOptions): Promise<Recovered | undefined> {
  const vault = loadVault(state, open.folder)
  if (vault === undefined) {
    discardVault(state, open.folder)
    return reportOf(open, 'nothing-changed', 'was interrupted before anything was changed.')
  }
  const { receipt } = vault
  const isUndo = receipt.state === 'applied' && receipt.undoStartedAt !== undefined
  if (receipt.state !== 'started' && !isUndo) {
    // Only its marker was left.
    removeMarker(state, receipt.id)
    return undefined
  }
  const databases = options.databases ?? sqliteWriters
  return await whileHeld(open, options, () => (isUndo ? finishUndo : settle)(open, vault, databases))
}

async function whileHeld(
  open: Unfinished,
  { hold }: RecoverOptions,
  input: () => Promise<Recovered>,
): Promise<Recovered> {
  let held: { release(): void } | undefined
  try {
    held = hold?.(open)
  } catch (error) {
    if (!(error instanceof RethreadError) || !NOT_NOW.has(error.code)) throw error
    return { ...reportOf(open, 'skipped', `${LEFT} ${error.message} ${error.hint}`), code: error.code }
  }
  try {
    return await input()
  } finally {
    held?.release()
  }
}

async function settle(open: Unfinished, vault: Vault, databases: DatabaseWriters): Promise<Recovered> {
  const moved = preparedAfterMoves(vault, databases)
  if (await areAllDone(moved)) {
    for (const change of moved) await change.finish()
    return end(
      open,
      vault,
      { state: 'applied' },
      'finished',
      'was interrupted after its last change; it is complete now.',
    )
  }
  const conflicts = await revertChanges(preparedOf(vault, databases), () => true, 'go-on')
  if (conflicts.length > 0) return fail(open, vault, conflicts)
  const text = 'was interrupted and rolled back: everything is as it was before.'
  return end(open, vault, { state: 'rolled-back' }, 'taken-back', text)
}

async function finishUndo(open: Unfinished, vault: Vault, databases: DatabaseWriters): Promise<Recovered> {
  const conflicts = await revertChanges(
    preparedOf(vault, databases),
    index => !vault.receipt.left?.includes(index),
    'go-on',
  )
  if (conflicts.length > 0) return fail(open, vault, conflicts)
  const undone = { state: 'undone', undoneAt: new Date().toISOString() } as const
  return end(open, vault, undone, 'undo-finished', 'was interrupted during an undo; the undo is complete now.')
}

function fail(open: Unfinished, vault: Vault, conflicts: readonly string[]): Recovered {
  const copies = `What was there before the repair is kept in ${vault.folder}.`
  return end(
    open,
    vault,
    { state: 'failed' },
    'failed',
    `was interrupted and could not be settled. ${conflicts.join(' ')} ${copies}`,
  )
}

function end(
  open: Unfinished,
  vault: Vault,
  how: Partial<Receipt>,
  outcome: Recovered['outcome'],
  happened: string,
): Recovered {
  const report = reportOf(open, outcome, happened)
  closeVault(vault, { ...how, note: report.text })
  return report
}

function reportOf(open: Unfinished, outcome: Recovered['outcome'], happened: string): Recovered {
  const { id, agent, sessionId, filePath } = open
  return { receipt: id, agent, sessionId, filePath, outcome, text: `Repair ${id} of ${filePath} ${happened}` }
}
