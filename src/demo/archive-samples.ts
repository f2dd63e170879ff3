// The archive of the demo, made by the archive itself: sessions are copied while they grow, then deleted as
// their agent does it, or cut short.
import type { Agent } from '../agents/agent.ts'
import { openArchive } from '../archive/archive.ts'
import { type FoundAll, runPass } from '../archive/pass.ts'
import { archiveFound } from '../catalog/archive.ts'
import type { Context } from '../catalog/context.ts'
import { findSessions } from '../catalog/find-all.ts'
import { identityOf, statPath } from '../disk/files/read.ts'
import {
  cutSampleFile,
  readSampleFile,
  removeSampleFile,
  setSampleTime,
  writeSampleFile,
} from '../disk/files/sample-files.ts'
import type { SessionRef } from '../model/session.ts'
import type { WrittenSession } from './fill-home.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** The home page lists what its agent deletes within this many days. */
const SOON_DAYS = 7
/** The shares of a log at which it is copied, and how long before its end. */
const COPIES: readonly { share: number; beforeMs: number }[] = [
  { share: 0.4, beforeMs: 95 * MINUTE_MS },
  { share: 0.75, beforeMs: 40 * MINUTE_MS },
  { share: 1, beforeMs: 0 },
]
/** When agents deleted and cut sessions, before the demo starts. */
const DELETED_MS = 47 * HOUR_MS
const SHORTENED_MS = 5 * HOUR_MS
/** What is left of a log that was cut. */
const LEFT_LINES = 8
const NEWLINE = 0x0a

export interface ArchivedSample {
  written: WrittenSession
  session: SessionRef
}

/** The files of all sessions have their times already. */
export async function archiveSamples(context: Context, samples: readonly ArchivedSample[], now: number): Promise<void> {
  const agents = context.agents.filter(({ isJournal }) => isJournal !== true)
  const concerned = agents.filter(({ id }) => samples.some(({ session }) => session.agent === id))
  const archive = openArchive(context.state, context.archive)
  const pass = async (found: FoundAll, at: number): Promise<void> => {
    const { environment, state } = context
    await archive.write(() => runPass({ archive, environment, state, now: () => at }, found))
  }
  const copy = (session: SessionRef, at: number): Promise<void> =>
    pass({ sessions: [refreshed(session)], failures: [], agents, isPart: true }, at)
  try {
    for (const sample of samples) await grow(sample, copy)
    for (const sample of samples) if (sample.written.planned.problem.type === 'deleted') remove(sample)
    await pass({ sessions: [], failures: [], agents: concerned }, now - DELETED_MS)
    for (const sample of samples) if (sample.written.planned.problem.type === 'shortened') await cut(sample, now, copy)
  } finally {
    archive.close()
  }
  const sessions = await findExpiring(context, agents, now)
  await archiveFound(context, { sessions, failures: [], agents, isPart: true })
}

/** Sessions that their agent deletes within days. The server archives the others while it runs. */
async function findExpiring(context: Context, agents: readonly Agent[], now: number): Promise<SessionRef[]> {
  const expiring: SessionRef[] = []
  for (const agent of agents) {
    const days = agent.retention?.(context.environment)?.days
    if (days === undefined) continue
    const { sessions } = await findSessions(context, [agent])
    expiring.push(...sessions.filter(({ updatedAt }) => updatedAt < now - (days - SOON_DAYS) * DAY_MS))
  }
  return expiring
}

type Copy = (session: SessionRef, at: number) => Promise<void>

/** A log is copied several times on its way. What is not made of lines is copied once. */
async function grow({ session, written: { endsAt } }: ArchivedSample, copy: Copy): Promise<void> {
  const { filePath } = session
  const whole = readSampleFile(filePath)
  const isLog = whole.at(-1) === NEWLINE
  for (const { share, beforeMs } of isLog ? COPIES : COPIES.slice(-1)) {
    const end = share === 1 ? whole.length : whole.lastIndexOf(NEWLINE, Math.floor(whole.length * share)) + 1
    writeSampleFile(filePath, whole.subarray(0, end))
    setSampleTime(filePath, endsAt - beforeMs)
    await copy(session, endsAt - beforeMs + MINUTE_MS)
  }
}

function remove({ written }: ArchivedSample): void {
  for (const path of written.files) removeSampleFile(path)
}

async function cut({ session }: ArchivedSample, now: number, copy: Copy): Promise<void> {
  const whole = readSampleFile(session.filePath)
  let end = 0
  for (let line = 0; line < LEFT_LINES; line++) end = whole.indexOf(NEWLINE, end) + 1
  cutSampleFile(session.filePath, end)
  setSampleTime(session.filePath, now - SHORTENED_MS)
  await copy(session, now - SHORTENED_MS + MINUTE_MS)
}

function refreshed(session: SessionRef): SessionRef {
  const { mark: identity, size: fileSize, mtimeMs: updatedAt } = identityOf(statPath(session.filePath))
  return { ...session, identity, fileSize, updatedAt }
}
