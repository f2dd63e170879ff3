// Finds one session by what a user types: an id, a unique prefix of one, either with its agent (`agent:id`), the
// path of a session file, or for a database with several the path and the id (`path#id`).
import { dirname, resolve } from 'node:path'
import { exists, identityOf, openFile, statPath } from '../disk/files/read.ts'
import { quote } from '../disk/files/system-errors.ts'
import type { Failure } from '../model/errors.ts'
import { RethreadError } from '../model/errors.ts'
import { quoteWord } from '../model/paste.ts'
import type { SessionRef } from '../model/session.ts'
import type { Context } from './context.ts'
import type { FoundSessions } from './find-all.ts'
import { findArchivedIfAny, findSessions } from './find-all.ts'

/** Enough of a file to tell which agent wrote it. */
const HEAD_BYTES = 64 * 1024
/** Failures that are named when a session is not found. */
const MAX_FAILURES_LISTED = 3

/** The result of one scan of all stores, for any number of names. */
export interface SessionFinder {
  sessions: readonly SessionRef[]
  failures: readonly Failure[]
  /** By an id, a unique prefix of one, `agent:id`, a path, or `path#id`. */
  byName(name: string): SessionRef
  /** By the path of its file only. */
  byPath(path: string): SessionRef
}

export async function findSession(context: Context, name: string): Promise<SessionRef> {
  if (name === '') throw nothingNamed()
  return (await makeSessionFinder(context)).byName(name)
}

export async function makeSessionFinder(context: Context): Promise<SessionFinder> {
  const found = await findSessions(context)
  const { failures } = found
  const sessions = [...found.sessions, ...(await findArchivedIfAny(context, found.sessions))]
  return {
    sessions,
    failures,
    byName: name => findByName(context, name, { sessions, failures }),
    byPath: path => findByPath(context, resolve(path), sessions),
  }
}

function findByName(context: Context, name: string, { sessions, failures }: FoundSessions): SessionRef {
  if (name === '') throw nothingNamed()
  const isPath = name.includes('/') || name.includes('\\')
  const matches = matching(context, name, isPath, sessions)
  const [first, second] = matches
  // An id takes precedence over a file, so that a file in the current folder cannot stand in for a session.
  if (first !== undefined && second === undefined) return first
  const isExact = first !== undefined && matches.every(session => session.sessionId === first.sessionId)
  if (isPath ? !isExact : !isExact && exists(resolve(name))) return findByPath(context, resolve(name), sessions)
  if (first !== undefined) throw ambiguous(name, matches, sessions)
  throw notFound(name, failures)
}

/** The sessions that a name may stand for. Those with exactly this id take precedence. */
function matching(
  context: Context,
  name: string,
  isPath: boolean,
  sessions: readonly SessionRef[],
): readonly SessionRef[] {
  const exact = sessions.filter(session => session.sessionId === name)
  if (exact.length > 0) return exact
  const agent = context.agents.find(({ id }) => name.startsWith(`${id}:`))
  const id = agent === undefined ? undefined : name.slice(agent.id.length + 1)
  if (agent !== undefined && id !== undefined && id !== '') {
    const own = sessions.filter(session => session.agent === agent.id)
    const exactOwn = own.filter(session => session.sessionId === id)
    return exactOwn.length > 0 ? exactOwn : own.filter(session => session.sessionId.startsWith(id))
  }
  return isPath ? [] : sessions.filter(session => session.sessionId.startsWith(name))
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

function findByPath(context: Context, path: string, sessions: readonly SessionRef[]): SessionRef {
  const inFile = exists(path) ? undefined : (sessionInFile(path, sessions) ?? deletedAt(path, sessions))
  if (inFile !== undefined) return inFile
  const stats = statPath(path)
  const known = sessions.filter(session => session.filePath === path)
  const [first, second] = known
  if (first !== undefined && second === undefined) return first
  if (first !== undefined) throw ambiguous(path, known, sessions)
  if (stats.isDirectory()) openFile(path, dirname(path)).close()
  return recogniseFile(context, path)
}

/** A session that only the archive has is also found by the path that it had. */
function deletedAt(path: string, sessions: readonly SessionRef[]): SessionRef | undefined {
  const [first, second] = sessions.filter(({ filePath, archived }) => archived !== undefined && filePath === path)
  return second === undefined ? first : undefined
}

/** `path#id`. Both may contain the separator. */
function sessionInFile(name: string, sessions: readonly SessionRef[]): SessionRef | undefined {
  return sessions.find(
    ({ filePath, sessionId }) => name.startsWith(filePath) && resolve(`${filePath}#${sessionId}`) === name,
  )
}

/** For a file outside every store, each agent is asked whether it wrote it. */
function recogniseFile(context: Context, path: string): SessionRef {
  const root = dirname(path)
  const file = openFile(path, root)
  try {
    const head = file.range(0, HEAD_BYTES)
    const stores = context.agents.flatMap(agent => agent.stores.map(store => ({ agent, store })))
    for (const { agent, store } of stores) {
      const sessionId = store.recognise?.(path, head)
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
    text: 'Specify a session: an id, the beginning of one, agent:id, the path of a session file, or path#id.',
    hint: 'List all sessions: rethread list',
  })
}

function ambiguous(name: string, matches: readonly SessionRef[], sessions: readonly SessionRef[]): RethreadError {
  const shown = matches.slice(0, MAX_CANDIDATES).map(session => {
    const own = nameOf(session, sessions)
    const file = own.includes(session.filePath) ? '' : `, ${session.filePath}`
    return `  ${quoteWord(own)}  (${session.agent}${file})`
  })
  const rest = matches.length > shown.length ? [`  and ${matches.length - shown.length} more`] : []
  const [first] = matches
  const isOneId = matches.every(({ sessionId }) => sessionId === first?.sessionId)
  return new RethreadError({
    code: 'ambiguous-session',
    text: `"${name}" matches ${matches.length} sessions.`,
    hint: `${isOneId ? 'Use one of these names' : 'Give more of the id'}:\n${[...shown, ...rest].join('\n')}`,
  })
}

const MAX_CANDIDATES = 10

/** The shortest name by which a session is found: its id, with its agent, its path, or both. */
function nameOf({ agent, sessionId, filePath }: SessionRef, sessions: readonly SessionRef[]): string {
  const sameId = sessions.filter(other => other.sessionId === sessionId)
  if (sameId.length <= 1) return sessionId
  if (sameId.filter(other => other.agent === agent).length === 1) return `${agent}:${sessionId}`
  const sameFile = sessions.filter(other => other.filePath === filePath)
  return sameFile.length === 1 ? filePath : `${filePath}#${sessionId}`
}
