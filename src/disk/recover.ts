// What a repair or an undo left half done when its process died is finished, or taken back; and it is told.
import { hasErrorCode } from '../model/errors.ts'
import { type DatabaseWriters, sqliteWriters } from './database-writer.ts'
import { withLock } from './lock.ts'
import type { Receipt } from './receipt.ts'
import type { Carried } from './steps.ts'
import { carriedOf, takeBack } from './take-back.ts'
import {
  closeVault,
  discardVault,
  listUnfinished,
  loadVault,
  removeMarker,
  type Unfinished,
  type Vault,
} from './vault.ts'

export interface Recovered {
  receipt: string
  agent: string
  sessionId: string
  filePath: string
  outcome: 'nothing-changed' | 'finished' | 'taken-back' | 'undo-finished' | 'failed'
  /** A sentence for the person. */
  text: string
}

export interface RecoverOptions {
  /** A test has its own. */
  databases?: DatabaseWriters
}

/** To be called before anything new is planned. What another rethread is at this moment working on is left to it. */
export async function recoverInterrupted(state: string, options: RecoverOptions = {}): Promise<Recovered[]> {
  const recovered: Recovered[] = []
  for (const open of listUnfinished(state)) {
    try {
      const told = await withLock(state, open, () => recoverOne(state, open, options.databases ?? sqliteWriters))
      if (told !== undefined) recovered.push(told)
    } catch (error) {
      if (hasErrorCode(error, 'locked')) continue
      recovered.push(
        tell(open, 'failed', `could not be settled: ${error instanceof Error ? error.message : String(error)}`),
      )
    }
  }
  return recovered
}

async function recoverOne(state: string, open: Unfinished, databases: DatabaseWriters): Promise<Recovered | undefined> {
  const vault = loadVault(state, open.folder)
  if (vault === undefined) {
    discardVault(state, open.folder)
    return tell(open, 'nothing-changed', 'was interrupted before anything was changed.')
  }
  const { receipt } = vault
  const changes = carriedOf(vault, databases)
  if (receipt.state === 'started') return await settle(open, vault, changes)
  if (receipt.state === 'applied' && receipt.undoStartedAt !== undefined) return await finishUndo(open, vault, changes)
  // Only its mark was left.
  removeMarker(state, receipt.id)
  return undefined
}

async function settle(open: Unfinished, vault: Vault, changes: readonly Carried[]): Promise<Recovered> {
  if (await areAllDone(changes)) {
    for (const change of changes) await change.finish()
    return end(
      open,
      vault,
      { state: 'applied' },
      'finished',
      'was interrupted after its last change; it is complete now.',
    )
  }
  const conflicts = await takeBack(changes, () => true, 'go-on')
  if (conflicts.length > 0) return fail(open, vault, conflicts)
  const text = 'was interrupted and has been taken back: everything is as it was before.'
  return end(open, vault, { state: 'rolled-back' }, 'taken-back', text)
}

async function areAllDone(changes: readonly Carried[]): Promise<boolean> {
  let isDone = true
  for (const change of changes) if ((await change.look()).at !== 'after') isDone = false
  return isDone
}

async function finishUndo(open: Unfinished, vault: Vault, changes: readonly Carried[]): Promise<Recovered> {
  const conflicts = await takeBack(changes, index => !vault.receipt.left?.includes(index), 'go-on')
  if (conflicts.length > 0) return fail(open, vault, conflicts)
  const undone = { state: 'undone', undoneAt: new Date().toISOString() } as const
  return end(
    open,
    vault,
    undone,
    'undo-finished',
    'was being taken back when that was interrupted; it is taken back now.',
  )
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
  const told = tell(open, outcome, happened)
  closeVault(vault, { ...how, note: told.text })
  return told
}

function tell(open: Unfinished, outcome: Recovered['outcome'], happened: string): Recovered {
  const { id, agent, sessionId, filePath } = open
  return { receipt: id, agent, sessionId, filePath, outcome, text: `Repair ${id} of ${filePath} ${happened}` }
}
