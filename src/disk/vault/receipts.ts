// The receipts in the vault: list them, find one, and remove old copies.
import { basename, join } from 'node:path'
import { type Failure, failureOf, hasErrorCode, RethreadError } from '../../model/errors.ts'
import { statIfThere } from '../files/handles.ts'
import { withLock } from '../processes/session-lock.ts'
import { removeTree } from '../state/own-files.ts'
import type { Receipt } from './receipt.ts'
import { loadVault } from './stored-vaults.ts'
import { COPIES, listVaults, saveReceipt, type Vault } from './vault.ts'

/** How long the copies of a repair are kept. The receipt itself stays. */
export const BACKUP_DAYS = 30
const DAY_MS = 24 * 60 * 60 * 1000

export interface ListedReceipt {
  receipt: Receipt
  folder: string
  hasBackup: boolean
}

export interface ReceiptList {
  /** Newest first. */
  receipts: ListedReceipt[]
  /** Receipts that could not be read. */
  failures: Failure[]
}

export function listReceipts(state: string): ReceiptList {
  const list: ReceiptList = { receipts: [], failures: [] }
  for (const folder of listVaults(state).toReversed()) {
    try {
      const vault = loadVault(state, folder)
      // A folder without a receipt is being created, or a crash left it before anything was changed.
      if (vault !== undefined)
        list.receipts.push({ receipt: vault.receipt, folder, hasBackup: vault.receipt.backupRemovedAt === undefined })
    } catch (error) {
      if (!(error instanceof RethreadError)) throw error
      list.failures.push(failureOf('', error, folder))
    }
  }
  return list
}

/**
 * By id, by a prefix of an id (with or without its time), or by session: then the last repair that was not
 * undone.
 */
export function findReceipt(state: string, which: string): Vault {
  const folders = listVaults(state).filter(folder => isNamed(basename(folder), which))
  const [only, ...others] = folders
  if (only !== undefined && others.length > 0 && basename(only) !== which) throw ambiguous(which, folders)
  const vault = only === undefined ? findBySession(state, which) : loadVault(state, only)
  if (vault !== undefined) return vault
  throw new RethreadError({
    code: 'no-receipt',
    text: `There is no repair ${which}, and no repaired session with that name.`,
    hint: 'See all repairs: rethread repairs',
  })
}

export interface CleanOptions {
  /** The copies of a missing session may be all that is left of it. */
  sessionExists(receipt: Receipt): boolean | Promise<boolean>
  /** Remove these as well, at the user's request. */
  includeLost?: boolean
  now?: number
}

export interface Cleaned {
  removed: Receipt[]
  /** Old enough, but the session is gone. */
  kept: Receipt[]
}

export async function cleanVault(state: string, options: CleanOptions): Promise<Cleaned> {
  const before = (options.now ?? Date.now()) - BACKUP_DAYS * DAY_MS
  const cleaned: Cleaned = { removed: [], kept: [] }
  for (const { receipt, folder } of listReceipts(state).receipts) {
    if (Date.parse(receipt.time) >= before || receipt.state === 'started' || !hasCopies(folder)) continue
    if (!options.includeLost && !(await options.sessionExists(receipt))) cleaned.kept.push(receipt)
    else if (await removeCopies(state, folder, receipt)) cleaned.removed.push(receipt)
  }
  return cleaned
}

/** False where another process uses them right now. */
async function removeCopies(state: string, folder: string, { agent, sessionId }: Receipt): Promise<boolean> {
  try {
    return await withLock(state, { agent, sessionId }, async () => {
      const vault = loadVault(state, folder)
      if (vault === undefined || (vault.receipt.undoStartedAt !== undefined && vault.receipt.state === 'applied'))
        return false
      // Recorded first: a receipt must not promise copies that are gone.
      vault.receipt.backupRemovedAt ??= new Date().toISOString()
      saveReceipt(vault)
      for (const name of COPIES) removeTree(join(folder, name))
      return true
    })
  } catch (error) {
    if (hasErrorCode(error, 'locked')) return false
    throw error
  }
}

function hasCopies(folder: string): boolean {
  return COPIES.some(name => statIfThere(join(folder, name)) !== undefined)
}

function isNamed(id: string, which: string): boolean {
  return which !== '' && (id.startsWith(which) || (id.split('-')[1] ?? '').startsWith(which))
}

function findBySession(state: string, sessionId: string): Vault | undefined {
  const all = listReceipts(state).receipts.filter(({ receipt }) => receipt.sessionId === sessionId)
  const found = all.find(({ receipt }) => receipt.state === 'applied') ?? all[0]
  return found === undefined ? undefined : { state, folder: found.folder, receipt: found.receipt }
}

function ambiguous(which: string, folders: readonly string[]): RethreadError {
  return new RethreadError({
    code: 'ambiguous-receipt',
    text: `${which} matches ${folders.length} repairs: ${folders
      .slice(0, 5)
      .map(folder => basename(folder))
      .join(', ')}.`,
    hint: 'Specify the full id: rethread repairs',
  })
}
