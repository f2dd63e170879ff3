// A process that dies at each of its writing calls, and a disk that is two, for the tests of this folder.
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type Files, files, injectFiles, nodeFiles } from '../../../src/disk/files/system-calls.ts'
import { listUnfinished } from '../../../src/disk/vault/stored-vaults.ts'
import { killAt, quickHome, survives } from '../faults.ts'
import { inFull } from '../full.ts'
import { treeOf } from './run.ts'

/** From one call to the next: each has its turn in `npm run test:full`. */
const STEP = inFull(1, 11)

/** Killed at its first writing call, then at a later one, and so on; `then` is what the next process finds. */
export async function killAtEachCall(
  put: (home: string) => void | Promise<void>,
  work: (home: string) => Promise<unknown>,
  then: (home: string, call: string) => Promise<void>,
  changed: Partial<Files> = {},
): Promise<number> {
  const base = quickHome()
  onTestFinished(injectFiles({ ...files(), ...changed }))
  for (let at = 1; ; at += STEP) {
    const home = join(base, String(at))
    await put(home)
    const fault = killAt(at, 'half', () => {}, changed)
    const isDone = await survives(work(home), fault)
    fault.lift()
    await then(home, `call ${at}`)
    if (isDone) return at
  }
}

export function expectTidy(home: string, call: string): void {
  expect(listUnfinished(join(home, 'state')), call).toEqual([])
  const strangers = [...treeOf(join(home, 'shop')).keys()].filter(path => /rethread-|\.tmp$/.test(path))
  expect(
    strangers.filter(path => !path.endsWith('TRASHED.rethread.json')),
    call,
  ).toEqual([])
}

/** As if every trash were a disk of its own. */
export const trashIsMounted: Pick<Files, 'rename'> = {
  rename(from, to) {
    const isInTrash = (path: string): boolean => path.includes('/.trash/')
    if (isInTrash(from) !== isInTrash(to)) throw Object.assign(new Error('EXDEV'), { code: 'EXDEV' })
    nodeFiles.rename(from, to)
  },
}
