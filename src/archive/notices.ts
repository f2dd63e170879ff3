// What a person should know about: sessions that became shorter, purges, and an archive that does not work.
import type { Failure } from '../model/errors.ts'
import { formatNumber } from '../model/format-number.ts'
import type { ChainHead } from './archive.ts'

export interface Notice {
  kind: 'shortened' | 'purged' | 'stopped' | 'quota' | 'unreadable' | 'damaged'
  text: string
  hint: string
  agent?: string
  sessionId?: string
  /** ISO. */
  time?: string
}

export interface NoticeFacts {
  heads: readonly ChainHead[]
  failures: readonly Failure[]
  /**
   * Folders of stores that do not exist, where archived sessions are not
   * known to be deleted: their agent, and how many.
   */
  goneFolders: ReadonlyMap<string, { agent: string; sessions: number; lastTime: number }>
  /** Files beside sessions that could not be copied, with the agent of each session. */
  notCopied: ReadonlyMap<string, readonly string[]>
  /** Milliseconds since 1970; 0 for never. */
  lastPass: number
  /** A process keeps the archive up to date. Its first pass may not have ended yet. */
  isWatched: boolean
  /** When sessions that are not archived as they are now were last written. */
  behindSince: readonly number[]
  storedBytes: number
  maxBytes: number | undefined
  seenAt: number
  titleOf(agent: string): string
  now: number
}

const DAY_MS = 24 * 60 * 60 * 1000
const HOUR_MS = 60 * 60 * 1000
/** Older losses and purges are not mentioned any more. */
const MENTIONED_MS = 7 * DAY_MS
/** So many sessions that an agent deleted within an hour are a purge. */
const LEAST_PURGE = 5
/** An archive that is behind for longer is not running. */
const STOPPED_MS = DAY_MS
/** A quota is mentioned from here on, and older versions of documents are thinned. */
export const EARLY_SHARE = 0.8

export function noticesOf(facts: NoticeFacts): Notice[] {
  return [
    ...shortened(facts),
    ...purged(facts),
    ...stopped(facts),
    ...quota(facts),
    ...unreadable(facts),
    ...gone(facts),
    ...notCopied(facts),
    ...damaged(facts),
  ]
}

function isMentioned({ now, seenAt }: NoticeFacts, time: number): boolean {
  return time > seenAt && now - time < MENTIONED_MS
}

function shortened(facts: NoticeFacts): Notice[] {
  return facts.heads.flatMap(({ session, losses }) => {
    const loss = losses.findLast(({ why, time }) => why === 'shrank' && isMentioned(facts, time))
    if (loss === undefined) return []
    const at = clockOf(loss.time)
    const { agent, sessionId } = session
    const { before, after } = loss.messages ?? {}
    const what =
      before === undefined || after === undefined
        ? 'was shortened'
        : `was shortened from ${formatNumber(before)} to ${formatNumber(after)} ${after === 1 ? 'message' : 'messages'}`
    return [
      {
        kind: 'shortened',
        text: `${session.title ?? sessionId} (${facts.titleOf(agent)}) ${what} at ${at}.`,
        hint: 'See its restore points: rethread versions SESSION',
        agent,
        sessionId,
        time: new Date(loss.time).toISOString(),
      },
    ]
  })
}

function purged(facts: NoticeFacts): Notice[] {
  const times = new Map<string, number[]>()
  for (const { session, deleted } of facts.heads) {
    if (deleted === undefined || !isMentioned(facts, deleted.time)) continue
    times.set(session.agent, [...(times.get(session.agent) ?? []), deleted.time])
  }
  return [...times].flatMap(([agent, all]) => {
    const sorted = all.sort((a, b) => a - b)
    const first = sorted.find(
      (time, index) => (sorted[index + LEAST_PURGE - 1] ?? Number.POSITIVE_INFINITY) - time < HOUR_MS,
    )
    if (first === undefined) return []
    const count = sorted.filter(time => time >= first && time - first < HOUR_MS).length
    const text = `${count} sessions of ${facts.titleOf(agent)} were deleted at ${clockOf(first)}. All of them are archived.`
    return [{ kind: 'purged', text, hint: 'See them: rethread list', agent, time: new Date(first).toISOString() }]
  })
}

function stopped({ behindSince, lastPass, isWatched, now }: NoticeFacts): Notice[] {
  if (isWatched && lastPass === 0) return []
  const oldest = Math.min(...behindSince)
  if (behindSince.length === 0 || now - oldest < STOPPED_MS || now - lastPass < STOPPED_MS) return []
  const since = lastPass === 0 ? 'has never run' : `has not run since ${clockOf(lastPass)}`
  return [
    {
      kind: 'stopped',
      text: `The archive ${since}, and sessions have changed since.`,
      hint: 'Archive them now: rethread archive',
    },
  ]
}

function quota({ storedBytes, maxBytes }: NoticeFacts): Notice[] {
  if (maxBytes === undefined || storedBytes < maxBytes * EARLY_SHARE) return []
  const share = Math.floor((storedBytes / maxBytes) * 100)
  const isFull = storedBytes >= maxBytes
  return [
    {
      kind: 'quota',
      text: isFull
        ? `The archive is full (${share} % of archive.maxBytes): new content is not archived.`
        : `The archive has reached ${share} % of archive.maxBytes. When it is full, new content is not archived.`,
      hint: 'Raise archive.maxBytes in the configuration. The last copy of a session is never dropped for it.',
    },
  ]
}

function unreadable({ failures }: NoticeFacts): Notice[] {
  return failures.map(({ agent, text, hint }) => ({ kind: 'unreadable', text, hint, agent }))
}

/** A disk that is not mounted, or a folder that was removed. Mentioned for a week after the last copy. */
function gone(facts: NoticeFacts): Notice[] {
  return [...facts.goneFolders].flatMap(([folder, { agent, sessions, lastTime }]) => {
    if (!isMentioned(facts, lastTime)) return []
    const count = sessions === 1 ? '1 session' : `${formatNumber(sessions)} sessions`
    const text = `${folder} does not exist, where ${facts.titleOf(agent)} had ${count}. All of them are archived.`
    const hint = 'If its disk is not mounted, mount it. To restore a session: rethread restore SESSION'
    return [{ kind: 'unreadable', text, hint, agent, time: new Date(lastTime).toISOString() }]
  })
}

function notCopied(facts: NoticeFacts): Notice[] {
  const known = new Set(facts.failures.map(({ path }) => path))
  return [...facts.notCopied].flatMap(([path, [agent = '', ...others]]) => {
    if (known.has(path)) return []
    const count = others.length === 0 ? '1 session' : `${others.length + 1} sessions`
    const text = `${path} could not be copied. ${facts.titleOf(agent)} keeps something of ${count} in it.`
    return [{ kind: 'unreadable', text, hint: 'See why: rethread archive', agent }]
  })
}

function damaged({ heads }: NoticeFacts): Notice[] {
  const count = heads.filter(({ damage }) => damage > 0).length
  if (count === 0) return []
  const text = `${count === 1 ? '1 session is' : `${count} sessions are`} damaged in the archive itself.`
  return [{ kind: 'damaged', text, hint: 'See which: rethread archive check' }]
}

/** In the person's time zone. */
function clockOf(time: number): string {
  const date = new Date(time)
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${two(date.getHours())}:${two(date.getMinutes())} on ${day}`
}
