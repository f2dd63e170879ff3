// Receipts for the page: what was repaired, when, and whether it can be undone. Cached, because a receipt
// with many edits is large.
import { basename, dirname, join } from 'node:path'
import { openFile } from '../disk/files/read.ts'
import type { Receipt } from '../disk/vault/receipt.ts'
import { damagesIn, reasonsIn } from '../disk/vault/receipt.ts'
import { BACKUP_DAYS, findReceipt } from '../disk/vault/receipts.ts'
import { loadVault } from '../disk/vault/stored-vaults.ts'
import { listVaults, receiptMark } from '../disk/vault/vault.ts'
import { RethreadError } from '../model/errors.ts'
import { restoredFrom } from '../repair/restore-archived/restore-plan.ts'
import type { ApiReceipt } from './api.ts'
import type { Services } from './services.ts'
import { keyOfSession } from './sessions/index.ts'

type ReceiptSummary = Omit<ApiReceipt, 'key' | 'title'> & { filePath: string }

const cache = new Map<string, { mark: string; summary: ReceiptSummary }>()

/** Newest first. A receipt that cannot be read is left out; `rethread repairs` reports it. */
export function apiReceipts(services: Pick<Services, 'context' | 'sessions'>): ApiReceipt[] {
  const all = listVaults(services.context.state).toReversed()
  const known = new Set(all)
  for (const folder of cache.keys()) if (!known.has(folder)) cache.delete(folder)
  return all.flatMap(folder => {
    const summary = cachedSummary(services.context.state, folder)
    return summary === undefined ? [] : [named(services, summary)]
  })
}

export function receiptsOf(services: Pick<Services, 'context' | 'sessions'>, key: string): ApiReceipt[] {
  return apiReceipts(services).filter(receipt => receipt.key === key)
}

function cachedSummary(state: string, folder: string): ReceiptSummary | undefined {
  const mark = receiptMark(folder)
  if (mark === undefined) return undefined
  const before = cache.get(folder)
  if (before?.mark === mark) return before.summary
  try {
    const vault = loadVault(state, folder)
    if (vault === undefined) return undefined
    const summary = summarize(vault.receipt)
    cache.set(folder, { mark, summary })
    return summary
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
}

function summarize(receipt: Receipt): ReceiptSummary {
  const { id, time, agent, sessionId, filePath, state, note, changes, backupRemovedAt } = receipt
  const damages = changes.flatMap(damagesIn)
  const hasBackup = backupRemovedAt === undefined
  const counted = { edits: damages.length, damages: [...new Set(damages)] }
  const action = restoredFrom(changes.flatMap(reasonsIn)) !== undefined ? ('restore' as const) : ('repair' as const)
  const hasCopy = hasBackup && changes.some(change => [change.before ?? []].flat().length > 0)
  const summary = { id, time, agent, sessionId, filePath, state, ...counted, hasBackup, action, hasCopy }
  return note === undefined ? summary : { ...summary, note }
}

function named({ sessions }: Pick<Services, 'sessions'>, { filePath, ...summary }: ReceiptSummary): ApiReceipt {
  const key = keyOfSession({ agent: summary.agent, sessionId: summary.sessionId, filePath })
  const served = sessions.get(key)
  return served === undefined ? { ...summary, title: null } : { ...summary, key, title: served.row.title }
}

export interface Backup {
  stream: ReadableStream<Uint8Array>
  size: number
  /** The original path of the file. */
  path: string
}

/** The copy of the session file, or the first copy of the repair. */
export function openBackup({ context }: Pick<Services, 'context'>, id: string): Backup {
  const { folder, receipt } = findReceipt(context.state, id)
  const copies = receipt.changes.flatMap(change => change.before ?? [])
  const copy = copies.find(({ path }) => path === receipt.filePath) ?? copies[0]
  if (copy === undefined || receipt.backupRemovedAt !== undefined) throw noCopy(id)
  const file = openFile(join(folder, copy.backup), dirname(folder))
  const chunks = file.chunks()
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = chunks.next()
      if (!done) return controller.enqueue(value)
      file.close()
      controller.close()
    },
    cancel: () => file.close(),
  })
  return { stream, size: file.identity.size, path: basename(copy.path) }
}

function noCopy(id: string): RethreadError {
  return new RethreadError({
    code: 'no-receipt',
    text: `The repair ${id} has no copy.`,
    hint: `Copies are kept for ${BACKUP_DAYS} days. See all repairs: rethread repairs`,
  })
}
