// Copies a database as of one moment, never as a mixture of two.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasErrorCode } from '../../model/errors.ts'
import { statIfThere } from '../files/handles.ts'
import { identityOf } from '../files/read.ts'
import { busyError } from '../processes/writers.ts'
import { removeIfThere } from '../state/own-files.ts'
import { backUp } from '../vault/backup.ts'
import type { Fit } from '../vault/plan-fit.ts'
import type { HashedFile } from '../vault/receipt.ts'
import type { Vault } from '../vault/vault.ts'
import { databaseMark } from './database-files.ts'

/** After this many copies were overtaken by a writer, the database counts as busy. */
const MAX_TRIES = 3
const BETWEEN_TRIES_MS = 200

/** Returns the database first, then the existing files beside it. */
export async function backUpDatabase(
  vault: Vault,
  index: number,
  fit: Fit,
  suffixes: readonly string[],
): Promise<HashedFile[]> {
  for (let attempt = 1; ; attempt++) {
    const copies = await copyOnce(vault, index, fit, suffixes)
    if (copies !== undefined) return copies
    if (attempt === MAX_TRIES)
      throw busyError(fit.path, {
        text: `${fit.path} was written to each time it was being copied.`,
        hint: 'Close the agent and try again.',
      })
    await sleep(BETWEEN_TRIES_MS)
  }
}

/** Undefined where another process wrote meanwhile. */
async function copyOnce(
  vault: Vault,
  index: number,
  fit: Fit,
  suffixes: readonly string[],
): Promise<HashedFile[] | undefined> {
  const { path } = fit
  const identity = databaseMark(path)
  const copies: HashedFile[] = []
  try {
    copies.push(await backUp(vault, index, fit))
    for (const beside of suffixes.map(suffix => path + suffix)) {
      const stats = statIfThere(beside)
      if (stats === undefined) continue
      const fitBeside = { path: beside, identity: identityOf(stats), mayGrow: false }
      copies.push(await backUp(vault, index, fitBeside))
    }
    if (databaseMark(path) === identity) return copies
  } catch (error) {
    if (!hasErrorCode(error, 'plan-outdated')) throw error
  }
  for (const { backup } of copies) removeIfThere(join(vault.folder, backup))
  return undefined
}
