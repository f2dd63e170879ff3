// Failures of the disk, and deaths of our own process, at the n-th call that writes.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Files, injectFiles, nodeFiles } from '../../src/disk/files/system-calls.ts'
import { inFull } from './full.ts'

/** In a loop over all calls, from one to the next: each has its turn in `npm run test:full`. */
export const CALL_STEP = inFull(1, 4)

/** Thrown by every call once the process is "dead". No code may take it for an ordinary failure. */
export class Killed extends Error {
  readonly code = 'KILLED'
}

/** `half`: where the call is a write, the end comes in the middle of it. */
export type Death = 'before' | 'half'

export interface Fault {
  /** How many writing calls there were. */
  calls(): number
  /** Whether the process has died: then nothing may be done by other ways either. */
  isDead(): boolean
  /** The process is gone and another begins: from here on everything works. */
  lift(): void
}

export const WRITING = [
  'create',
  'write',
  'sync',
  'syncAside',
  'truncate',
  'setTimes',
  'setTimesOf',
  'chmod',
  'chown',
  'copy',
  'clone',
  'link',
  'makeLink',
  'rename',
  'unlink',
  'makeFolder',
  'removeFolder',
  'syncFolder',
  'syncTogether',
] as const satisfies readonly (keyof Files)[]
type Writing = (typeof WRITING)[number]

/**
 * For loops over all calls. Syncing is for the power going off, which no kill is; and to see that none of the machine's processes has a file of
 * the test open takes longer than the rest.
 */
const quickFiles: Files = {
  ...nodeFiles,
  sync: () => {},
  syncAside: async () => {},
  syncFolder: () => {},
  syncTogether: async () => {},
  list: path => (path === '/proc' ? [] : nodeFiles.list(path)),
}

/** A home for such a loop: in memory, where the machine has such a place. */
export function quickHome(): string {
  onTestFinished(injectFiles(quickFiles))
  const home = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'rethread-home-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

type Around = (name: Writing, number: number, go: () => unknown, values: unknown[]) => unknown

/** Every writing call goes through `around`; all others through `others`. */
function wrap(around: Around, others: (name: string) => void, base = quickFiles, isDead = () => false): Fault {
  let calls = 0
  const isWriting = (name: string): name is Writing => (WRITING as readonly string[]).includes(name)
  const wrapped = new Proxy(base, {
    get(target, name: keyof Files) {
      const call = target[name] as (...values: unknown[]) => unknown
      return (...values: unknown[]) => {
        if (!isWriting(name)) {
          others(name)
          return call(...values)
        }
        calls++
        return around(name, calls, () => call(...values), values)
      }
    },
  })
  const lift = injectFiles(wrapped)
  onTestFinished(lift)
  return { calls: () => calls, isDead, lift }
}

/** Only counts, and calls `then` after each call that was done. */
export function watchCalls(then: (name: string, values: unknown[]) => void = () => {}, base = quickFiles): Fault {
  return wrap(
    (name, _, go, values) => {
      const result = go()
      then(name, values)
      return result
    },
    () => {},
    base,
  )
}

export function killAt(
  at: number,
  death: Death,
  then: (name: string, values: unknown[]) => void = () => {},
  changed: Partial<Files> = {},
): Fault {
  return kill((_, number) => number === at, death, then, changed)
}

/** Dies in the place of the first call for which this is so. */
export function killWhen(isTime: (name: Writing, values: unknown[]) => boolean, changed: Partial<Files> = {}): Fault {
  return kill(
    (name, _, values) => isTime(name, values),
    'before',
    () => {},
    changed,
  )
}

/** Whether the process lived to see the end of it. A failure of one that lives is thrown: a loop over all calls would never end. */
export async function survives(work: Promise<unknown>, fault: Fault): Promise<boolean> {
  await work.catch(error => {
    if (!fault.isDead()) throw error
  })
  return !fault.isDead()
}

function kill(
  isTime: (name: Writing, number: number, values: unknown[]) => boolean,
  death: Death,
  then: (name: string, values: unknown[]) => void,
  changed: Partial<Files>,
): Fault {
  let isDead = false
  return wrap(
    (name, number, go, values) => {
      if (isDead) throw new Killed('this process is dead')
      if (isTime(name, number, values)) {
        if (death === 'half' && name === 'write') writeHalf(values)
        isDead = true
        throw new Killed(`killed at call ${number}`)
      }
      const result = go()
      then(name, values)
      return result
    },
    name => {
      // Descriptors are closed by the system when a process ends.
      if (isDead && name !== 'close') throw new Killed('this process is dead')
    },
    { ...quickFiles, ...changed },
    () => isDead,
  )
}

function writeHalf(values: unknown[]): void {
  const [fd, bytes, position] = values
  if (typeof fd !== 'number' || !Buffer.isBuffer(bytes)) throw new Error('not the values of a write')
  const half = bytes.subarray(0, Math.floor(bytes.length / 2))
  if (half.length > 0) nodeFiles.write(fd, half, typeof position === 'number' ? position : null)
}

/** From the n-th call on each call of these kinds fails; or, with `once`, that one alone. */
export function failAt(at: number, code: string, kinds: readonly Writing[], once: boolean): Fault {
  return failWhen(code, (name, number) => kinds.includes(name) && (once ? number === at : number >= at))
}

export function failWhen(code: string, fails: (name: Writing, number: number, values: unknown[]) => boolean): Fault {
  return wrap(
    (name, number, go, values) => {
      if (fails(name, number, values)) throw Object.assign(new Error(`${code}: injected`), { code })
      return go()
    },
    () => {},
  )
}

/** What a full disk refuses. */
export const NEEDS_SPACE = ['create', 'write', 'copy', 'clone', 'makeFolder', 'link', 'rename'] as const

/** No write takes more than so many bytes. */
export function writeAtMost(limit: number): Fault {
  return wrap(
    (name, _, go, [fd, bytes, position]) => {
      if (name !== 'write' || typeof fd !== 'number' || !Buffer.isBuffer(bytes)) return go()
      return nodeFiles.write(fd, bytes.subarray(0, limit), typeof position === 'number' ? position : null)
    },
    () => {},
  )
}
