// Puts an archived session back where its agent finds it: its file or rows, the files beside it and its index
// entries, with a receipt, and with the current time so that the agent does not delete it again.
import { join, relative } from 'node:path'
import type { RenewedId } from '../../agents/archive.ts'
import { type Store, storeOf } from '../../agents/store.ts'
import { openArchiveIfThere } from '../../archive/archive.ts'
import {
  type ArchivedContent,
  contentOf,
  sessionAt,
  sessionAtPoint,
  viewSession,
} from '../../archive/archived-sessions.ts'
import { unfoldHome } from '../../archive/home-paths.ts'
import { exportFiles } from '../../disk/archive/export-files.ts'
import type { Receipt } from '../../disk/vault/receipt.ts'
import { hasErrorCode } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { CheckContext } from '../check/check.ts'
import { finishInterrupted } from '../repair.ts'
import type { Verdicts } from '../verdicts/verdict-cache.ts'
import { notRenewable, stillThere } from './errors.ts'
import { RestorePlan } from './restore-plan.ts'

export interface RestoreOptions {
  /** Milliseconds since 1970. Default: the last state of a session that its agent no longer has. */
  time?: number | undefined
  /** Instead of a time: the number of a restore point. */
  number?: number | undefined
  /** With a new id, beside what is there now. */
  asNew?: boolean | undefined
  /** Write the files below this folder instead. */
  to?: string | undefined
  /** The person says that the agent is closed. */
  force?: boolean | undefined
  /** Archives what is there now, before it is replaced. */
  keepPresent: (session: SessionRef) => Promise<void>
  verdicts?: Pick<Verdicts, 'invalidate'> | undefined
}

export interface Restored {
  agent: string
  sessionId: string
  filePath: string
  /** The restore point. */
  time: string
  /** Every file that was written. */
  files: string[]
  rows: number
  /** Content that the archive itself has lost. */
  isIncomplete: boolean
  /** Undefined with `to`, and where everything was there already. */
  receipt: Receipt | undefined
}

/** Throws `busy`, `unsupported`, `session-not-found`, and what `applyChanges` throws. */
export async function restoreSession(
  context: CheckContext,
  session: SessionRef,
  options: RestoreOptions,
): Promise<Restored> {
  await finishInterrupted(context)
  const isLive = session.archived === undefined
  if (isLive && options.time === undefined && options.number === undefined) throw stillThere(session)
  const isReplaced = isLive && options.to === undefined && options.asNew !== true
  if (isReplaced) await options.keepPresent(session)
  const wanted = await wantedState(context, session, options)
  const main = await contentOf(context, wanted)
  const time = options.number === undefined ? options.time : main.point.time
  const subagents = await findSubagents(context, session, time)
  const contents: ArchivedContent[] = [main]
  for (const subagent of subagents) contents.push(await contentOf(context, subagent))
  const agent = context.agents.find(({ id }) => id === session.agent)
  if (agent === undefined) throw stillThere(session)
  const store = storeOf(agent, session)
  const renewed = options.asNew === true ? renew(store, session) : undefined
  const result = {
    agent: agent.id,
    sessionId: renewed?.sessionId ?? session.sessionId,
    time: new Date(main.point.time).toISOString(),
    isIncomplete: contents.some(({ isIncomplete }) => isIncomplete),
  }
  if (options.to !== undefined)
    return { ...result, ...(await exportViews(context, [wanted, ...subagents], options.to)) }
  const plan = new RestorePlan(context, { agent, store, session, renewed })
  for (const content of contents) await plan.add(content, content === main)
  const receipt = await plan.apply(options)
  return { ...result, filePath: plan.filePath, files: plan.files, rows: plan.rows, receipt }
}

async function wantedState(
  context: CheckContext,
  session: SessionRef,
  { number, time }: RestoreOptions,
): Promise<SessionRef> {
  if (number !== undefined) return sessionAtPoint(context, session, number)
  return time === undefined ? session : await sessionAt(context, session, time)
}

async function exportViews(context: CheckContext, sessions: readonly SessionRef[], to: string) {
  const copies: { from: string; to: string }[] = []
  const paths: string[] = []
  for (const each of sessions) {
    const { folder, files, session } = await viewSession(context, each)
    copies.push(...files.map(({ copy }) => ({ from: copy, to: join(to, relative(folder, copy)) })))
    paths.push(join(to, relative(folder, session.filePath)))
  }
  exportFiles(copies)
  return { filePath: paths[0] ?? to, files: copies.map(copy => copy.to), rows: 0, receipt: undefined }
}

/** The subagents of a session are chains of their own. Those that are still there are left as they are. */
async function findSubagents(
  context: CheckContext,
  session: SessionRef,
  time: number | undefined,
): Promise<SessionRef[]> {
  const archive = openArchiveIfThere(context.state, context.archive)
  if (archive === undefined) return []
  try {
    const found: SessionRef[] = []
    for (const { session: other, id, deleted } of (await archive.heads()).values()) {
      if (other.agent !== session.agent || other.subagentOf !== session.sessionId || deleted === undefined) continue
      const filePath = unfoldHome(other.filePath, context.environment.home) ?? other.filePath
      const ref: SessionRef = { ...other, filePath, fileSize: 0, identity: id, archived: { chain: id } }
      const at = time === undefined ? ref : await sessionAt(context, ref, time).catch(unlessMissing)
      if (at !== undefined) found.push(at)
    }
    return found
  } finally {
    archive.close()
  }
}

function unlessMissing(error: unknown): undefined {
  if (!hasErrorCode(error, 'session-not-found')) throw error
}

function renew(store: Store, session: SessionRef): RenewedId {
  const renewed = store.archive?.renew?.(session)
  if (renewed === undefined) throw notRenewable(store.title, session)
  return renewed
}
