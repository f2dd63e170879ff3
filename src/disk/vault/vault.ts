// The vault: one folder for each repair, with its receipt, full copies of what it changed, and what it
// removed. None of this is in an agent's folder: agents read, and purge, every file there.
import { createHash, randomBytes } from 'node:crypto'
import { basename, join, relative } from 'node:path'
import { readRange, statIfThere, withHandle } from '../files/handles.ts'
import { identityOf, listFolder } from '../files/read.ts'
import { files } from '../files/system-calls.ts'
import { fromWriteError } from '../files/system-errors.ts'
import { makeFolder, removeIfThere, removeTree, replaceOwnFile } from '../state/own-files.ts'
import { recordChangedFile } from './changed-files.ts'
import type { Receipt } from './receipt.ts'
import type { StoredBytes } from './stored-schemas.ts'
import { UNFINISHED_FOLDER } from './unfinished.ts'

const VAULT = 'vault'
export const RECEIPT_VERSION = 1
export const RECEIPT = 'receipt.json'
/** The folders beside a receipt. */
export const COPIES = ['backup', 'removed', 'added'] as const
const MAX_NAME_LENGTH = 100

export interface Vault {
  state: string
  folder: string
  receipt: Receipt
}

export interface VaultSubject {
  agent: string
  sessionId: string
  filePath: string
  /** Databases that must be locked before this repair is finished or rolled back. */
  databases: string[]
}

/** From here on a crash leaves a marker, by which the next run finds the folder. */
export function openVault(state: string, subject: VaultSubject): Vault {
  const time = new Date().toISOString()
  const id = `${time.replaceAll(/[-:.Z]/g, '')}-${randomBytes(4).toString('hex')}`
  const { databases, ...named } = subject
  const receipt: Receipt = { version: RECEIPT_VERSION, id, time, ...named, state: 'started', changes: [] }
  const vault = { state, folder: vaultFolder(state, receipt), receipt }
  try {
    markUnfinished(vault, databases)
    makeFolder(vault.folder)
    for (const name of COPIES) files().makeFolder(join(vault.folder, name))
    files().syncFolder(vault.folder)
    return vault
  } catch (error) {
    tryToDiscard(vault)
    throw fromWriteError(error, vault.folder)
  }
}

export function saveReceipt(vault: Vault): void {
  replaceOwnFile(join(vault.folder, RECEIPT), `${JSON.stringify(vault.receipt, null, 1)}\n`)
}

/** Records the outcome. After that nothing is left to finish. */
export function closeVault(vault: Vault, end: Partial<Receipt>): Receipt {
  Object.assign(vault.receipt, end)
  saveReceipt(vault)
  recordChangedFile(vault.state, vault.receipt.filePath, vault.receipt.id)
  removeMarker(vault.state, vault.receipt.id)
  return vault.receipt
}

/** For a repair that ended before anything was changed: neither a copy nor a marker stays. */
export function discardVault(state: string, folder: string): void {
  removeTree(folder)
  removeMarker(state, basename(folder))
}

/** After a failure, which is what is reported. The next run finds the marker and removes what is left. */
export function tryToDiscard({ state, folder }: Vault): void {
  try {
    discardVault(state, folder)
  } catch {
    // As said above.
  }
}

export function markUnfinished(vault: Vault, databases: string[]): void {
  const { id, agent, sessionId, filePath } = vault.receipt
  makeFolder(join(vault.state, UNFINISHED_FOLDER))
  const marker = { folder: relative(vault.state, vault.folder), agent, sessionId, filePath, databases }
  replaceOwnFile(markerPath(vault.state, id), JSON.stringify(marker))
}

/** Not synced: a marker that reappears has no unfinished repair behind it. */
export function removeMarker(state: string, id: string): void {
  removeIfThere(markerPath(state, id))
}

/** Differs once the receipt in the folder was rewritten; undefined where there is none yet. */
export function receiptMark(folder: string): string | undefined {
  const stats = statIfThere(join(folder, RECEIPT))
  return stats === undefined ? undefined : identityOf(stats).key
}

/** The folders of all receipts, oldest first. */
export function listVaults(state: string): string[] {
  const foldersIn = (path: string) => listFolder(path).filter(entry => entry.isFolder)
  return foldersIn(join(state, VAULT))
    .flatMap(agent => foldersIn(agent.path))
    .flatMap(session => foldersIn(session.path))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(entry => entry.path)
}

export function vaultFolder(state: string, receipt: Pick<Receipt, 'agent' | 'sessionId' | 'id'>): string {
  return join(state, VAULT, safeName(receipt.agent), safeName(receipt.sessionId), receipt.id)
}

export async function readStored(vault: Pick<Vault, 'folder'>, stored: StoredBytes): Promise<Buffer> {
  if ('base64' in stored) return Buffer.from(stored.base64, 'base64')
  return await withHandle(join(vault.folder, stored.file), 'read', handle =>
    readRange(handle, stored.start, stored.start + stored.length),
  )
}

/** A name that is harmless on every file system: ids come from agents and may contain anything. */
export function safeName(text: string): string {
  const plain = text.replaceAll(/[^A-Za-z0-9._-]/g, '_').replace(/^\./, '_')
  if (plain === text && text !== '' && text.length <= MAX_NAME_LENGTH) return text
  return `${plain.slice(0, MAX_NAME_LENGTH)}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`
}

function markerPath(state: string, id: string): string {
  return join(state, UNFINISHED_FOLDER, `${id}.json`)
}
