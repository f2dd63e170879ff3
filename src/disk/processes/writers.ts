// Is a file being written? Open handles, a very recent change, and a change between two looks. What only an agent's folder knows (its lock files,
// its live processes) comes from above.
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { RethreadError } from '../../model/errors.ts'
import { statIfThere } from '../files/handles.ts'
import { quote } from '../files/system-errors.ts'
import { describeHolder, findLastingHolder, type Holder, type Inode } from './open-handles.ts'

/** A file touched so recently counts as live: agents write at the end of a turn, and turns take a while. */
export const LIVE_MS = 10_000
/** Where no process of the agent runs, so long without a change is enough: longer than the pauses of a program that is not known by its name. */
export const SETTLED_MS = 2000
/** Between the two looks: longer than the pause between two chunks of an answer that streams in. */
export const BETWEEN_LOOKS_MS = 150
/** A clock that was set back makes files of the future; further ahead than this, their time says nothing. */
const CLOCK_SKEW_MS = 60_000

export interface WriterSign {
  text: string
  /** A command to paste, or what to do. */
  hint: string
  pid?: number
  /** So long without another change, and the file counts as finished. Absent where a process is known to be at work. */
  retryAfterMs?: number
}

export interface WriterOptions {
  /** The files are databases: a handle that only reads counts as well. */
  anyHandle?: boolean
  /** Does not count a recent change as a sign. All other signs stay. */
  force?: boolean
  /** No process of the agent runs: a recent change is watched until it has settled, and is not a sign by itself. */
  isAgentGone?: boolean
  /** Milliseconds since 1970; a test has its own. */
  now?: () => number
  betweenLooksMs?: number
}

/** Undefined: nobody, as far as can be seen. Files that are not there have no writer. */
export async function findWriter(
  paths: readonly string[],
  options: WriterOptions = {},
): Promise<WriterSign | undefined> {
  const first = paths.flatMap(look)
  const holder = await findLastingHolder(first, { anyHandle: options.anyHandle ?? false })
  if (holder !== undefined) return heldBy(holder, first.find(file => file === holder.inode)?.path ?? '')
  const now = (options.now ?? Date.now)()
  const recent = options.force ? [] : first.filter(file => isRecent(file.modifiedMs, now))
  const [newest] = recent.toSorted((one, other) => other.modifiedMs - one.modifiedMs)
  if (newest !== undefined && options.isAgentGone !== true) return touchedJustNow(newest.path, now - newest.modifiedMs)
  const settlesInMs = newest === undefined ? 0 : SETTLED_MS - Math.max(0, now - newest.modifiedMs)
  await sleep(Math.max(options.betweenLooksMs ?? BETWEEN_LOOKS_MS, settlesInMs))
  const changed = first.find(before => look(before.path).some(({ key }) => key !== before.key))
  return changed === undefined ? undefined : stillChanging(changed.path)
}

/** For those who are about to move a file: whoever has it open for writing would go on writing into the old one. */
export async function assertNobodyHolds(
  { path, identity }: { path: string; identity: Inode | undefined },
  anyHandle: boolean,
): Promise<void> {
  const holder = identity === undefined ? undefined : await findLastingHolder([identity], { anyHandle })
  if (holder !== undefined) throw busy(path, heldBy(holder, path))
}

export function busy(path: string, sign: WriterSign): RethreadError {
  return new RethreadError({ code: 'busy', text: sign.text, hint: sign.hint, path })
}

interface Look extends Inode {
  path: string
  modifiedMs: number
  key: string
}

function look(path: string): Look[] {
  const stats = statIfThere(path, 'stat')
  if (stats === undefined) return []
  return [
    {
      path,
      device: String(stats.dev),
      inode: String(stats.ino),
      modifiedMs: Number(stats.mtimeMs),
      key: `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}`,
    },
  ]
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
