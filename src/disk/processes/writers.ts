// Whether a file is being written: open handles, a very recent change, or a change between two checks. Signs
// that only an agent's folder knows (its lock files, its processes) come from the caller.
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { RethreadError } from '../../model/errors.ts'
import { statIfThere } from '../files/handles.ts'
import { identityOf } from '../files/read.ts'
import { quote } from '../files/system-errors.ts'
import { describeHolder, findLastingHolder, type Holder, type Inode } from './open-handles.ts'

/**
 * A file changed within this time counts as live: agents write at the end of a turn, and turns take a while.
 */
export const LIVE_MS = 10_000
/**
 * Where no process of the agent runs, this time without a change is enough. It is longer than the pauses of a
 * program that is not recognised by its name.
 */
export const SETTLED_MS = 2000
/** The time between the two checks: longer than the pause between two chunks of a streamed answer. */
export const BETWEEN_CHECKS_MS = 150
/**
 * A clock that was set back leaves files with times in the future. Beyond this limit such a time is ignored.
 */
const CLOCK_SKEW_MS = 60_000

export interface WriterSign {
  text: string
  /** A command to paste, or what to do. */
  hint: string
  pid?: number
  /**
   * The file counts as finished after this time without another change. Absent where a process is known to be
   * running.
   */
  retryAfterMs?: number
}

export interface SeenFiles {
  /** The marks of the files by their paths. */
  marks: ReadonlyMap<string, string>
  /** When the last of them was taken, by `performance.now()`. */
  at: number
}

export interface WriterOptions {
  /** The files are databases: a handle that only reads counts as well. */
  anyHandle?: boolean
  /** Ignore recent changes. All other signs still count. */
  force?: boolean
  /** No process of the agent runs. A recent change is only watched until it has settled. */
  isAgentGone?: boolean
  /** The files as they were before. One that is still the same needs to be watched for the rest of the time only. */
  seen?: SeenFiles | undefined
  /** Milliseconds since 1970; tests replace it. */
  now?: () => number
  betweenChecksMs?: number
}

/** Undefined where no sign of a writer is found. Missing files have no writer. */
export async function findWriter(
  paths: readonly string[],
  options: WriterOptions = {},
): Promise<WriterSign | undefined> {
  const first = paths.flatMap(readState)
  const holder = await findLastingHolder(first, { anyHandle: options.anyHandle ?? false })
  if (holder !== undefined) return heldBy(holder, first.find(file => file === holder.inode)?.path ?? '')
  const now = (options.now ?? Date.now)()
  const recent = options.force ? [] : first.filter(file => isRecent(file.modifiedMs, now))
  const [newest] = recent.toSorted((one, other) => other.modifiedMs - one.modifiedMs)
  if (newest !== undefined && options.isAgentGone !== true) return touchedJustNow(newest.path, now - newest.modifiedMs)
  const settlesInMs = newest === undefined ? 0 : SETTLED_MS - Math.max(0, now - newest.modifiedMs)
  const betweenMs = (options.betweenChecksMs ?? BETWEEN_CHECKS_MS) - watchedMs(first, options.seen)
  const waitMs = Math.max(betweenMs, settlesInMs)
  if (waitMs > 0) await sleep(waitMs)
  const changed = first.find(before => readState(before.path).some(({ key }) => key !== before.key))
  return changed === undefined ? undefined : stillChanging(changed.path)
}

/** For how long all of them are known to be as they are now. */
function watchedMs(now: readonly FileState[], seen: SeenFiles | undefined): number {
  if (seen === undefined || !now.every(({ path, mark }) => seen.marks.get(path) === mark)) return 0
  return performance.now() - seen.at
}

/**
 * For a caller that is about to move a file: a process that has it open for writing would continue to write
 * to the old file.
 */
export async function assertNotOpenElsewhere(
  { path, identity }: { path: string; identity: Inode | undefined },
  anyHandle: boolean,
): Promise<void> {
  const holder = identity === undefined ? undefined : await findLastingHolder([identity], { anyHandle })
  if (holder !== undefined) throw busyError(path, heldBy(holder, path))
}

export function busyError(path: string, sign: WriterSign): RethreadError {
  return new RethreadError({ code: 'busy', text: sign.text, hint: sign.hint, path })
}

interface FileState extends Inode {
  path: string
  modifiedMs: number
  key: string
  mark: string
}

function readState(path: string): FileState[] {
  const stats = statIfThere(path, 'stat')
  if (stats === undefined) return []
  const { device, inode, mtimeMs, key, mark } = identityOf(stats)
  return [{ path, device, inode, modifiedMs: mtimeMs, key, mark }]
}

export function isRecent(modifiedMs: number, now: number): boolean {
  const ageMs = now - modifiedMs
  return ageMs < LIVE_MS && ageMs > -CLOCK_SKEW_MS
}

export function heldBy(holder: Holder, path: string): WriterSign {
  return {
    text: `${describeHolder(holder)} has ${path} open${holder.isWriting ? ' for writing' : ''}.`,
    hint: `Close the agent, or see what the process is: ps -fp ${holder.pid}`,
    pid: holder.pid,
  }
}

function touchedJustNow(path: string, ageMs: number): WriterSign {
  const seconds = Math.max(0, Math.round(ageMs / 1000))
  const retryAfterMs = Math.ceil(LIVE_MS - Math.max(0, ageMs))
  return {
    text: `${basename(path)} was written ${plural(seconds, 'second')} ago, and its agent may still be working.`,
    hint: `Close the agent, or try again in ${plural(Math.ceil(retryAfterMs / 1000), 'second')}.`,
    retryAfterMs,
  }
}

function stillChanging(path: string): WriterSign {
  return {
    text: `${basename(path)} is being written: it changed while rethread was watching.`,
    hint: `Close the agent and try again. See which process has it open: fuser -v ${quote(path)}`,
    retryAfterMs: LIVE_MS,
  }
}

function plural(count: number, unit: string): string {
  return `${count} ${count === 1 ? unit : `${unit}s`}`
}
