// Is somebody writing? Open handles, a very recent change, and a change between two looks. Signs that only one agent has (lock files, a list
// of its live processes) come from above.
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { RethreadError } from '../model/errors.ts'
import { quote } from './errors.ts'
import { statIfThere } from './handles.ts'
import { describeHolder, findLastingHolder, type Holder, type Inode } from './holders.ts'

/** A file touched so recently counts as live: agents write at the end of a turn, and turns take a while. */
export const LIVE_MS = 10_000
/** Between the two looks: longer than the pause between two chunks of an answer that streams in. */
export const BETWEEN_LOOKS_MS = 150
/** A clock that was set back makes files of the future; further ahead than this, their time says nothing. */
const CLOCK_SKEW_MS = 60_000

export interface WriterSign {
  text: string
  /** A command to paste, or what to do. */
  hint: string
  pid?: number
}

export interface WriterOptions {
  /** The files are databases: a handle that only reads counts as well. */
  anyHandle?: boolean
  /** Does not count a recent change as a sign. All other signs stay. */
  force?: boolean
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
  const recent = options.force ? undefined : first.find(file => isRecent(file.modifiedMs, now))
  if (recent !== undefined) return touchedJustNow(recent.path, now - recent.modifiedMs)
  await sleep(options.betweenLooksMs ?? BETWEEN_LOOKS_MS)
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
  return {
    text: `${basename(path)} was written ${seconds} ${seconds === 1 ? 'second' : 'seconds'} ago: its agent may still be at work.`,
    hint: `Wait ${LIVE_MS / 1000} seconds after the agent's last answer and try again, or say that it is closed: --force`,
  }
}

function stillChanging(path: string): WriterSign {
  return {
    text: `${path} changed between two looks at it: somebody is writing.`,
    hint: `Close the agent and try again. See who has it open: fuser -v ${quote(path)}`,
  }
}
