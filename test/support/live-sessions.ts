// A live library over a temporary home, found by a real thread; and rows without any file, for what needs none.
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { LibraryOptions } from '../../bench/generator/index.ts'
import { generateLibrary } from '../../bench/generator/index.ts'
import type { MadeSample } from '../../src/agents/samples/sample.ts'
import type { Context } from '../../src/catalog/context.ts'
import { makeContext } from '../../src/catalog/context.ts'
import type { SessionRow } from '../../src/server/api.ts'
import type { SessionCatalog, SessionsParts } from '../../src/server/sessions/index.ts'
import { keyOfSession, makeSessions } from '../../src/server/sessions/index.ts'
import type { PublishedRow } from '../../src/server/sessions/list-thread/messages.ts'
import { temporaryHome } from './home.ts'

export function makeLibrary(
  home: string,
  sessionsPerAgent: number,
  options: Partial<LibraryOptions> = {},
): MadeSample[] {
  return generateLibrary({ home, seed: 7, sessionsPerAgent, medianBytes: 3000, damageShare: 0, ...options })
}

export function contextOf(home: string): Context {
  return { ...makeContext({ home, state: join(home, 'state-of-rethread'), logLevel: 'silent' }), busyMs: 100 }
}

export function liveSessions(home = temporaryHome(), parts: Partial<SessionsParts> = {}): SessionCatalog {
  const sessions = makeSessions({ context: contextOf(home), ...parts })
  onTestFinished(() => sessions.close())
  return sessions
}

/** Everything is found and read. */
export async function refreshFully(sessions: SessionCatalog): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const leave = sessions.on('progress', ({ phase }) => phase === 'done' && resolve())
  await sessions.refresh()
  if (sessions.progress.phase !== 'done') await promise
  leave()
}

/** Waits for a change after which it is so. */
export async function until(sessions: SessionCatalog, isSo: () => boolean): Promise<void> {
  if (isSo()) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const leave = sessions.on('changed', () => isSo() && resolve())
  await promise
  leave()
}

export function rowOf(sessions: SessionCatalog, sessionId: string): SessionRow | undefined {
  return sessions.find(sessionId)?.row
}

export function rowInfoOf(
  sessionId: string,
  row: Partial<SessionRow> = {},
  notified: Partial<PublishedRow> = {},
): PublishedRow {
  const agent = row.agent ?? 'codex'
  const filePath = row.filePath ?? `/store/${sessionId}.jsonl`
  const updatedAt = row.updatedAt ?? '2026-11-01T12:00:00.000Z'
  const session = { agent, sessionId, filePath, generation: 'rollouts', storeRoot: '/store', fileSize: 10 }
  const key = keyOfSession(session)
  return {
    session: { ...session, updatedAt: Date.parse(updatedAt), identity: 'one' },
    row: {
      key,
      agent,
      sessionId,
      title: sessionId,
      project: null,
      filePath,
      updatedAt,
      fileSize: 10,
      messageCount: 2,
      partial: false,
      ...row,
    },
    ...notified,
  }
}
