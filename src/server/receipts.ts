// Receipts for a person: what was repaired, when, and whether it can be taken back. Remembered, as one with many edits is long.
import { basename, dirname, join } from 'node:path'
import { openFile } from '../disk/files/read.ts'
import type { Receipt } from '../disk/vault/receipt.ts'
import { damagesIn } from '../disk/vault/receipt.ts'
import { findReceipt } from '../disk/vault/receipts.ts'
import { listVaults, loadVault, receiptMark } from '../disk/vault/vault.ts'
import { RethreadError } from '../model/errors.ts'
import type { ApiReceipt } from './api.ts'
import type { Services } from './services.ts'
import { keyOfSession } from './sessions/index.ts'

type Kept = Omit<ApiReceipt, 'key' | 'title'> & { filePath: string }

const remembered = new Map<string, { mark: string; kept: Kept }>()

/** Newest first. One that cannot be read is left out here; `rethread repairs` tells of it. */
export function apiReceipts(services: Pick<Services, 'context' | 'sessions'>): ApiReceipt[] {
  const all = listVaults(services.context.state).toReversed()
  const known = new Set(all)
  for (const folder of remembered.keys()) if (!known.has(folder)) remembered.delete(folder)
  return all.flatMap(folder => {
    const kept = recall(services.context.state, folder)
    return kept === undefined ? [] : [named(services, kept)]
  })
}

export function receiptsOf(services: Pick<Services, 'context' | 'sessions'>, key: string): ApiReceipt[] {
  return apiReceipts(services).filter(receipt => receipt.key === key)
}

function recall(state: string, folder: string): Kept | undefined {
  const mark = receiptMark(folder)
  if (mark === undefined) return undefined
  const before = remembered.get(folder)
  if (before?.mark === mark) return before.kept
  try {
    const vault = loadVault(state, folder)
    if (vault === undefined) return undefined
    const kept = summarize(vault.receipt)
    remembered.set(folder, { mark, kept })
    return kept
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
}

function summarize(receipt: Receipt): Kept {
  const { id, time, agent, sessionId, filePath, state, note, changes, backupRemovedAt } = receipt
  const damages = changes.flatMap(damagesIn)
  const hasBackup = backupRemovedAt === undefined
  const counted = { edits: damages.length, damages: [...new Set(damages)] }
  const told = { id, time, agent, sessionId, filePath, state, ...counted, hasBackup }
  return note === undefined ? told : { ...told, note }
}

function named({ sessions }: Pick<Services, 'sessions'>, { filePath, ...kept }: Kept): ApiReceipt {
  const key = keyOfSession({ agent: kept.agent, sessionId: kept.sessionId, filePath })
  const served = sessions.get(key)
  return served === undefined ? { ...kept, title: null } : { ...kept, key, title: served.row.title }
}

export interface Backup {
  stream: ReadableStream<Uint8Array>
  size: number
  /** What the file was called. */
  path: string
}

/** The copy of the session's own file, or the first there is. */
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
    hint: 'Copies are kept for 30 days. See all repairs: rethread repairs',
  })
}
