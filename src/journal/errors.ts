// Errors of the journal and of live conversations.
import { quote } from '../disk/files/system-errors.ts'
import { isRefusedRow } from '../disk/sqlite/errors.ts'
import { type ErrorCode, RethreadError } from '../model/errors.ts'
import { paste } from '../model/paste.ts'
import { ACP_SESSION_ID } from '../model/session-id.ts'
import type { JournalConnection } from './store/store.ts'

/** Problems of the disk or the whole file. Every other waiting write would fail too. */
const WHOLE_STORE_CODES: ReadonlySet<ErrorCode> = new Set([
  'no-space',
  'database-busy',
  'permission-denied',
  'io-error',
])

export function affectsAllWrites(error: unknown): boolean {
  return error instanceof RethreadError && WHOLE_STORE_CODES.has(error.code)
}

export function isCorrupt(error: unknown): boolean {
  return error instanceof RethreadError && error.code === 'database-corrupt'
}

export function isDuplicateRow(error: unknown): boolean {
  return error instanceof RethreadError && isRefusedRow(error.cause)
}

export function sessionNotFound(path: string, id: string): RethreadError {
  return new RethreadError({
    code: 'session-not-found',
    text: `There is no session ${id} in the journal ${path}.`,
    hint: 'Only what is in the journal can be restored. If the file was removed or replaced, put it back and try again.',
    path,
  })
}

export function damagedRow(path: string, what: string, cause?: unknown): RethreadError {
  return new RethreadError({
    code: 'database-corrupt',
    text: `${what} in the journal ${path} is damaged. Other sessions are not affected.`,
    hint: `Keep a copy before anything else: cp ${quote(path)}* /some/other/disk/. Then see what can be read: sqlite3 ${quote(path)} .recover`,
    path,
    ...(cause === undefined ? {} : { cause }),
  })
}

export function wrongUse(text: string): RethreadError {
  return new RethreadError({
    code: 'usage',
    text,
    hint: 'This is a fault in the caller of the journal; nothing was written.',
  })
}

export function journalOverloaded(path: string): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: `Writes to ${path} arrive faster than the disk accepts them.`,
    hint: `This envelope was not written. See how busy the disk is: vmstat 1 5`,
    path,
  })
}

export function journalClosed(path: string): RethreadError {
  return new RethreadError({
    code: 'stopped',
    text: `The journal ${path} is closed.`,
    hint: 'rethread is stopping. Start it again.',
    path,
  })
}

export function rethreadStopping(): RethreadError {
  return new RethreadError({
    code: 'stopped',
    text: 'rethread is stopping, so no agent is started.',
    hint: 'Your messages are saved in the journal. Start rethread again.',
  })
}

export function heldByOtherProcess(sessionId: string, { owner, agent }: JournalConnection): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: `Conversation ${sessionId} is open in another rethread (process ${owner.pid}, with ${agent}). Two at once would lose messages.`,
    hint: `Continue it there, or end that process first: kill ${owner.pid}`,
  })
}

export function noStrategyWorked(
  sessionId: string,
  tried: readonly { rung: string; why: string }[],
  cause: unknown,
): RethreadError {
  const steps = tried.map(({ rung, why }) => `${rung}: ${why}`).join(' · ')
  return new RethreadError({
    code: 'agent-failed',
    text: `Conversation ${sessionId} could not be restored in its agent. ${steps}`,
    hint: `Nothing is lost: it is in the journal. Read it with: ${paste('rethread show', sessionId)}`,
    cause,
  })
}

export function noSessionId(title: string): RethreadError {
  return new RethreadError({
    code: 'agent-failed',
    text: `${title} started a session without sending its id.`,
    hint: 'This is a fault of the agent. Try another version.',
  })
}

/**
 * An agent may put the id into a command line, so an id that could be read as something else is not passed to
 * it.
 */
export function requireUsualId(id: string): void {
  if (ACP_SESSION_ID.test(id)) return
  throw new RethreadError({
    code: 'unsupported',
    text: 'The id of this conversation is not one that an agent gives, so it is not passed to an agent.',
    hint: `Read it: ${paste('rethread show', id)}`,
  })
}

/** A conversation that is not in the journal cannot be restored. */
export function notInJournal(id: string): RethreadError {
  return new RethreadError({
    code: 'session-not-found',
    text: `There is no conversation ${id} in the journal. If its file was removed or replaced, what was in it cannot be restored.`,
    hint: 'List the conversations: rethread list --agent journal',
  })
}

export function conversationEnded(id: string): RethreadError {
  return new RethreadError({
    code: 'session-not-found',
    text: `Conversation ${id} was deleted. Its messages are still in the journal.`,
    hint: 'Start a new one.',
  })
}

export function promptCancelled(): RethreadError {
  return new RethreadError({
    code: 'stopped',
    text: 'It was cancelled before it reached the agent.',
    hint: 'Send it again.',
  })
}
