// The lock that JP holds on a conversation during a query.
import { join } from 'node:path'
import { parseObject } from '../../bytes/json.ts'
import { readOptionalFile } from '../../disk/files/read.ts'
import { type FlockState, type HeldFlock, holdFlock, testFlock } from '../../disk/processes/flock.ts'
import { isRunning } from '../../disk/processes/process-identity.ts'
import { RethreadError } from '../../model/errors.ts'
import { asNumber } from '../stores/values.ts'
import { displayId } from './ids.ts'
import { LOCKS } from './names.ts'
import type { Workspace } from './roots.ts'

export type LockState =
  | { type: 'free' }
  /** `isJp`: the file contains the pid of the holder, which JP writes there. */
  | { type: 'held'; pid: number | undefined; isJp: boolean }
  /** The lock cannot be tested here, and no running JP is known. */
  | { type: 'unknown'; reason: string }

const MAX_LOCK_BYTES = 4096

/** The path in the user-local storage, or in the workspace if there is no such storage. */
export function lockPath(workspace: Workspace, id: string): string | undefined {
  const [root] = workspace.roots
  return root === undefined ? undefined : join(root.path, LOCKS, `${displayId(id)}.lock`)
}

/** If no lock program is available, a running process whose pid is in the file counts as the holder. */
export function testLock(workspace: Workspace, id: string): LockState {
  const states = workspace.roots.map(root => testOne(join(root.path, LOCKS, `${displayId(id)}.lock`), root.path))
  return states.find(({ type }) => type === 'held') ?? states.find(({ type }) => type === 'unknown') ?? { type: 'free' }
}

/**
 * Takes the lock. JP skips the conversation while it is held. Throws `locked` if JP holds it and
 * `unsupported` if locks are not available here.
 */
export function holdLock(workspace: Workspace, id: string): HeldFlock {
  const path = lockPath(workspace, id)
  if (path === undefined)
    throw new RethreadError({
      code: 'unsupported',
      text: `The workspace of conversation ${displayId(id)} has no storage to lock.`,
      hint: 'See what is there: rethread list --agent jp',
    })
  return holdFlock(path)
}

/** A description for the report. */
export function heldText(state: LockState): string {
  const { pid, isJp } = state.type === 'held' ? state : { pid: undefined, isJp: false }
  const number = pid === undefined ? '' : ` (process ${pid})`
  return `${isJp ? 'a running JP' : 'another program'}${number} has it locked`
}

function testOne(path: string, root: string): LockState {
  const state: FlockState = testFlock(path)
  if (state.type === 'free') return state
  const named = pidIn(path, root)
  if (state.type === 'held') return { type: 'held', pid: state.pid ?? named, isJp: isSame(named, state.pid) }
  return named !== undefined && isRunning(named) ? { type: 'held', pid: named, isJp: true } : state
}

/** The pid in the file can be left from an earlier run. */
function isSame(named: number | undefined, holder: number | undefined): boolean {
  return named !== undefined && (holder === undefined || holder === named)
}

/** The pid is informational. Only the lock counts. */
function pidIn(path: string, root: string): number | undefined {
  try {
    const bytes = readOptionalFile(path, root, MAX_LOCK_BYTES)
    return bytes === undefined ? undefined : asNumber(parseObject(bytes)?.['pid'])
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
}
