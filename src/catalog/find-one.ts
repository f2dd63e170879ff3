// Finds one session by what a user types: an id, a unique prefix of one, or the path of a session file.
import { dirname, resolve } from 'node:path'
import { exists, identityOf, openFile, statPath } from '../disk/files/read.ts'
import { quote } from '../disk/files/system-errors.ts'
import type { Failure } from '../model/errors.ts'
import { RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import type { Context } from './context.ts'
import type { FoundSessions } from './find-all.ts'
import { findSessions } from './find-all.ts'

/** Enough of a file to tell which agent wrote it. */
const HEAD_BYTES = 64 * 1024
/** Failures that are named when a session is not found. */
const MAX_FAILURES_LISTED = 3

/** The result of one scan of all stores, for any number of names. */
export interface SessionFinder {
  sessions: readonly SessionRef[]
  failures: readonly Failure[]
  /** By an id, a unique prefix of one, or a path. */
  byName(name: string): SessionRef
  /** By the path of its file only. */
  byPath(path: string): SessionRef
}

export async function findSession(context: Context, name: string): Promise<SessionRef> {
  if (name === '') throw nothingNamed()
  return (await makeSessionFinder(context)).byName(name)
}

export async function makeSessionFinder(context: Context): Promise<SessionFinder> {
  const { sessions, failures } = await findSessions(context)
  return {
    sessions,
    failures,
    byName: name => findByName(context, name, { sessions, failures }),
    byPath: path => findByPath(context, resolve(path), sessions),
  }
}

function findByName(context: Context, name: string, { sessions, failures }: FoundSessions): SessionRef {
  if (name === '') throw nothingNamed()
  const exact = sessions.filter(session => session.sessionId === name)
  const isPath = name.includes('/') || name.includes('\\')
  const alike = isPath ? [] : sessions.filter(session => session.sessionId.startsWith(name))
  const matches = distinct(exact.length > 0 ? exact : alike)
  const [first, second] = matches
  // An id takes precedence over a file, so that a file in the current folder cannot stand in for a session.
  if (first !== undefined && second === undefined) return first
  if (isPath || (exact.length === 0 && exists(resolve(name)))) return findByPath(context, resolve(name), sessions)
  if (first !== undefined) throw ambiguous(name, matches)
  throw notFound(name, failures)
}

/**
 * A locked store is named first: the session may be in it, and the lock will pass. Damage in another store
 * says nothing about this session.
 */
function notFound(name: string, failures: readonly Failure[]): RethreadError {
  const text = `No session has an id that begins with "${name}".`
  const locked = failures.find(({ code }) => code === 'database-busy')
  if (locked !== undefined)
    return new RethreadError({
      code: 'database-busy',
      text: `${text} It may be in a database that is locked: ${locked.text}`,
      hint: locked.hint,
      path: locked.path,
    })
  const unseen = failures.map(failure => failure.text).slice(0, MAX_FAILURES_LISTED)
  const more = failures.length - unseen.length
  return new RethreadError({
    code: 'session-not-found',
    text,
    hint:
      unseen.length === 0
        ? 'List all sessions: rethread list'
        : `Not everything could be read (${[...unseen, ...(more > 0 ? [`and ${more} more`] : [])].join(' ')}). See: rethread list`,
  })
}

/** A session can be known from two stores of its agent. The first is the one that the agent prefers. */
function distinct(sessions: SessionRef[]): SessionRef[] {
  return [
    ...new Map(sessions.toReversed().map(session => [`${session.agent}\n${session.sessionId}`, session])).values(),
  ]
}

function findByPath(context: Context, path: string, sessions: readonly SessionRef[]): SessionRef {
  const stats = statPath(path)
  const known = sessions.filter(session => session.filePath === path)
  const [first, second] = known
  if (first !== undefined && second === undefined) return first
  if (first !== undefined) throw ambiguous(path, known)
  if (stats.isDirectory()) openFile(path, dirname(path)).close()
  return adopt(context, path)
}

/** For a file outside every store, each agent is asked whether it wrote it. */
function adopt(context: Context, path: string): SessionRef {
  const root = dirname(path)
  const file = openFile(path, root)
  try {
    const head = file.range(0, HEAD_BYTES)
    const stores = context.agents.flatMap(agent => agent.stores.map(store => ({ agent, store })))
    for (const { agent, store } of stores) {
      const sessionId = store.adopt?.(path, head)
      if (sessionId === undefined) continue
      const identity = identityOf(statPath(path))
      return {
        agent: agent.id,
        sessionId,
        generation: store.name,
        filePath: path,
        isOutside: true,
        storeRoot: root,
        updatedAt: identity.mtimeMs,
        fileSize: identity.size,
        identity: identity.mark,
      }
    }
  } finally {
    file.close()
  }
  throw new RethreadError({
    code: 'not-a-session',
    text: `${path} is not a session of any agent rethread knows.`,
    hint: `See how it begins: head -c 200 ${quote(path)}`,
    path,
  })
}

function nothingNamed(): RethreadError {
  return new RethreadError({
    code: 'usage',
    text: 'Specify a session: an id, the beginning of one, or the path of a session file.',
    hint: 'List all sessions: rethread list',
  })
}

function ambiguous(name: string, matches: SessionRef[]): RethreadError {
  const shown = matches.slice(0, 5).map(session => `  ${session.sessionId}  (${session.agent})`)
  const rest = matches.length > shown.length ? [`  and ${matches.length - shown.length} more`] : []
  return new RethreadError({
    code: 'ambiguous-session',
    text: `"${name}" matches ${matches.length} sessions.`,
    hint: `Give more of the id:\n${[...shown, ...rest].join('\n')}`,
  })
}
