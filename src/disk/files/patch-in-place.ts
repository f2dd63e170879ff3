// Edits that keep the length, written in place. The file keeps its inode, so an agent that appends to it is
// not disturbed.
import type { BigIntStats } from 'node:fs'
import type { ByteEdit } from '../../model/plan.ts'
import { withBackup } from '../vault/backup.ts'
import { planOutdated } from '../vault/errors.ts'
import type { FileBefore, StoredEdit, StoredPatch } from '../vault/receipt.ts'
import type { ChangeState, StepContext } from '../vault/steps/step.ts'
import { readStored } from '../vault/vault.ts'
import {
  copyRange,
  findDifference,
  type Handle,
  readRange,
  statHandle,
  statIfThere,
  syncAside,
  syncHandle,
  withHandle,
  writeAll,
} from './handles.ts'
import { files } from './system-calls.ts'
import { fromWriteError } from './system-errors.ts'

export async function patchInPlace(
  context: StepContext,
  { before }: StoredPatch,
  edits: readonly ByteEdit[],
): Promise<void> {
  await withHandle(before.path, 'write', async file => {
    assertSameFile(file, before)
    await withBackup(context.vault, before, async backup => {
      for (const { start, end, old } of edits) {
        // The copy is known to have them.
        if (old !== undefined && readRange(file, start, end).equals(old)) continue
        const difference = await findDifference(file, backup, start, end)
        if (difference !== undefined)
          throw planOutdated(before.path, 'the bytes to be replaced have changed', difference)
      }
    })
    const seen = statHandle(file)
    context.touch()
    for (const edit of edits) writeAll(file, edit.bytes, edit.start)
    keepTimes(file, before, seen)
    // Both end before the file is closed, or anything is rolled back.
    const ends = await Promise.allSettled([syncAside(file), context.whileSyncing?.()])
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  })
}

/** Each edit may be done, not done, or half done: an interrupted write leaves a prefix of the new bytes. */
export async function inspectInPlace(context: StepContext, stored: StoredPatch): Promise<ChangeState> {
  const { before } = stored
  const stats = statIfThere(before.path)
  if (stats === undefined) return { at: 'other', text: 'no longer exists' }
  if (stats.size < before.size) return { at: 'other', text: 'has become shorter' }
  return await withHandle(before.path, 'read', file =>
    withBackup(context.vault, before, async backup => {
      const states = new Set<EditState>()
      for (const edit of stored.edits) states.add(await editStateAt(context, edit, file, backup))
      return summarize(states)
    }),
  )
}

export async function revertInPlace(context: StepContext, { before, edits }: StoredPatch): Promise<void> {
  await withHandle(before.path, 'write', file =>
    withBackup(context.vault, before, async backup => {
      const seen = statHandle(file)
      for (const { start, end } of edits) await copyRange(backup, start, end, file, start)
      syncHandle(file)
      keepTimes(file, before, seen)
    }),
  )
}

export async function finishInPlace({ before }: StoredPatch): Promise<void> {
  await withHandle(before.path, 'write', file => {
    syncHandle(file)
    keepTimes(file, before, statHandle(file))
  })
}

export function assertSameFile(file: Handle, before: FileBefore): void {
  const stats = statHandle(file)
  if (String(stats.dev) !== before.device || String(stats.ino) !== before.inode)
    throw planOutdated(before.path, 'another file has taken its place')
  if (stats.size < before.size) throw planOutdated(before.path, 'it became shorter')
}

/**
 * Agents sort sessions by this time, and a repair is not conversation. A file that has grown since keeps the
 * time at which it was found (`seen`). One that grows right now keeps its new time.
 */
function keepTimes(file: Handle, before: FileBefore, seen: BigIntStats): void {
  const isAsLong = () => statHandle(file).size === seen.size
  if (!isAsLong()) return
  const modifiedNs = Number(seen.size) === before.size ? BigInt(before.modifiedNs) : seen.mtimeNs
  try {
    files().setTimes(file.fd, seen.atimeNs, modifiedNs)
    if (!isAsLong()) files().setTimes(file.fd, seen.atimeNs, BigInt(Date.now()) * 1_000_000n)
  } catch (error) {
    throw fromWriteError(error, file.path)
  }
}

type EditState = 'same' | 'before' | 'after' | 'between' | 'other'

async function editStateAt(context: StepContext, edit: StoredEdit, file: Handle, backup: Handle): Promise<EditState> {
  const [now, old] = [readRange(file, edit.start, edit.end), readRange(backup, edit.start, edit.end)]
  const fresh = await readStored(context.vault, edit.new)
  if (now.equals(fresh)) return now.equals(old) ? 'same' : 'after'
  if (now.equals(old)) return 'before'
  const isMixed = now.length === old.length && now.every((byte, at) => byte === old[at] || byte === fresh[at])
  return isMixed ? 'between' : 'other'
}

function summarize(states: ReadonlySet<EditState>): ChangeState {
  if (states.has('other')) return { at: 'other', text: 'has been changed by another program where it was repaired' }
  if (states.has('between') || (states.has('before') && states.has('after'))) return { at: 'between' }
  return { at: states.has('before') ? 'before' : 'after' }
}
