// The verdict on one session: what its agent would load, what is wrong, and what a repair would do. A check
// changes nothing.
import type { Agent } from '../../agents/agent.ts'
import type { Environment } from '../../agents/environment.ts'
import type { StoreRepair } from '../../agents/repair.ts'
import { isIdSuspect, UNUSUAL_ID, unusualId, whyUnusual } from '../../agents/session-ids.ts'
import { type Store, storeOf } from '../../agents/store.ts'
import { placeIn } from '../../archive/home-paths.ts'
import type { FileIdentity, OpenFile } from '../../disk/files/read.ts'
import { identityOf, statPath } from '../../disk/files/read.ts'
import type { WriterSign } from '../../disk/processes/writers.ts'
import { isRecent } from '../../disk/processes/writers.ts'
import { RethreadError } from '../../model/errors.ts'
import { paste } from '../../model/paste.ts'
import type { Change, Refusal } from '../../model/plan.ts'
import { plannedFiles } from '../../model/plan.ts'
import type { Reading } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Status, Verdict } from '../../model/verdict.ts'
import { findActivity } from '../activity.ts'
import type { Damage } from '../damage/damage.ts'
import { damages, damagesOfLogs } from '../damage/index.ts'
import { CACHED_FROM_BYTES } from '../scan/index-cache.ts'
import type { WholeSum } from '../scan/scan-in-threads.ts'
import { type Marks, repairOf } from '../verdicts/origin.ts'
import type { Examination, ExamineOptions } from './examination.ts'
import { examineByReading } from './examine-by-reading.ts'
import { examineLog } from './examine-log.ts'
import { failedVerdict } from './failed-verdict.ts'
import { describeMismatch, NO_KNOWN_REPAIR, readToEnd } from './reach.ts'

export interface CheckContext {
  agents: readonly Agent[]
  environment: Environment
  state: string
  /** For worker threads, which build their own list of agents. Without it, that list has no journal. */
  journal?: string
  /** The folder of the archive, if not in the state folder. */
  archive?: string
}

export interface SessionCheckOptions {
  /** Treat a session that changed a moment ago as finished. */
  force?: boolean
  /** Called with the open file of a log, before it is scanned. */
  onOpen?(file: OpenFile, store: Store): void
  /** The session's log, opened just now, for the first examination. The caller closes it. */
  file?: OpenFile | undefined
  /** The marks of files that several sessions depend on, taken before one of these was read. */
  marks?: Marks
  /**
   * Called once, when an edit of a log is expected and the rest is still to be examined. Not while its agent may be
   * writing it.
   */
  onEdit?: (() => void) | undefined
}

export interface Checked {
  verdict: Verdict
  changes: Change[]
  refusals: Refusal[]
  /** The files as they were before the first of them was read. The plan is valid only for these. */
  planned: { file: string; identity: FileIdentity }[]
  /** The session's own file as it was before reading; empty where it could not be read. */
  identity: string
  /** The project folder, where the whole session was read and says it. */
  project?: string | undefined
  /** The verdict once the changes are made, valid only for a log with exactly these bytes. */
  afterwards?: { verdict: Verdict; sum: WholeSum }
}

export async function checkSession(
  context: CheckContext,
  session: SessionRef,
  options: SessionCheckOptions = {},
): Promise<Checked> {
  if (session.archived !== undefined) return await checkArchived(context, session)
  try {
    const agent = agentOf(context, session)
    const store = storeOf(agent, session)
    const repair = await repairOf(store)
    const { onOpen, onEdit, file } = options
    const target: CheckTarget = { agent, session, store, repair, onOpen, onEdit, file }
    if (options.force === true) return await examineOnce(context, target, false)
    const settled = await examineSettled(context, target)
    if (settled !== undefined) return settled
    // An incomplete record is damage only once its writer is gone. That check is slower, and few sessions
    // need it.
    const live = await examineOnce(context, { ...target, file: undefined }, true)
    if (!isUnfinished(live.verdict)) return live
    const sign = await findActivity(context, session, [session.filePath])
    return sign === undefined
      ? await examineOnce(context, { ...target, file: undefined }, false)
      : withReason(live, sign)
  } catch (error) {
    if (error instanceof RethreadError) return failed(session, error)
    throw error
  }
}

/**
 * Undefined where the session may be in use and is not healthy. A writer explains only what is wrong, so one is
 * looked for where something is. A file that has changed meanwhile is recent by then.
 */
async function examineSettled(context: CheckContext, target: CheckTarget): Promise<Checked | undefined> {
  const { session, repair, file } = target
  const { mtimeMs } = file?.identity ?? identityOf(statPath(session.filePath))
  if (isRecent(mtimeMs, Date.now())) return undefined
  // Nothing is prepared for edits of a session that is in use.
  const isInUse = target.onEdit !== undefined && repair?.liveSign?.(session, context.environment) !== undefined
  let checked: Checked | undefined
  let refused: RethreadError | undefined
  try {
    checked = await examineOnce(context, isInUse ? { ...target, onEdit: undefined } : target, false)
    if (repair?.liveSign === undefined || checked.verdict.status === 'healthy') return checked
  } catch (error) {
    if (!(error instanceof RethreadError) || repair?.liveSign === undefined) throw error
    refused = error
  }
  const now = identityOf(statPath(session.filePath))
  if (isRecent(now.mtimeMs, Date.now()) || repair.liveSign(session, context.environment) !== undefined) return undefined
  if (refused !== undefined) throw refused
  return checked
}

/** Its copy is checked. Nothing can be repaired there. */
async function checkArchived(context: CheckContext, session: SessionRef): Promise<Checked> {
  try {
    const { readable } = await import('../../archive/archived-sessions.ts')
    const copy = await readable(context, session)
    const checked = await checkSession(context, copy, { force: true })
    const { filePath } = session
    const findings = checked.verdict.findings.map(each => ({ ...each, at: placeIn(each.at, copy, session) }))
    return { ...checked, changes: [], planned: [], identity: '', verdict: { ...checked.verdict, filePath, findings } }
  } catch (error) {
    if (error instanceof RethreadError) return failed(session, error)
    throw error
  }
}

interface CheckTarget {
  agent: Agent
  session: SessionRef
  store: Store
  repair: StoreRepair | undefined
  onOpen: SessionCheckOptions['onOpen']
  file: OpenFile | undefined
  onEdit: SessionCheckOptions['onEdit']
}

/**
 * A session without a complete first record gets the verdict `busy`, like one whose last record is
 * incomplete.
 */
async function examineOnce(
  context: CheckContext,
  { agent, session, store, repair, onOpen, onEdit, file }: CheckTarget,
  isLive: boolean,
): Promise<Checked> {
  // Before it is read.
  const identity = file?.identity ?? identityOf(statPath(session.filePath))
  try {
    const options: ExamineOptions = {
      ...examineOptions(context, repair, isLive, () => store.read(session)),
      ...(onOpen === undefined ? {} : { onOpen: opened => onOpen(opened, store) }),
      ...(file === undefined ? {} : { file }),
      ...(onEdit === undefined || isLive ? {} : { onEdit }),
    }
    const { afterwards, ...examination } = await examine(session, store, repair, options)
    const checked = conclude(session, withOwnId(agent, session, examination), identity)
    if (afterwards === undefined) return checked
    const { verdict } = conclude(session, withOwnId(agent, session, afterwards.found), identity)
    return { ...checked, afterwards: { verdict, sum: afterwards.sum } }
  } catch (error) {
    if (isLive && error instanceof RethreadError && error.code === 'busy') return failed(session, error)
    throw error
  }
}

function withReason(checked: Checked, sign: WriterSign): Checked {
  if (checked.verdict.status !== 'busy') return checked
  return { ...checked, verdict: busyVerdict(checked.verdict, sign) }
}

export function busyVerdict(verdict: Verdict, { text, hint, retryAfterMs }: WriterSign): Verdict {
  const reason = { code: 'busy', text, hint, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  return { ...verdict, status: 'busy', reason }
}

function examineOptions(
  context: CheckContext,
  repair: StoreRepair | undefined,
  isLive: boolean,
  read: () => Reading,
): ExamineOptions {
  const installedVersion = repair?.installedVersion?.(context.environment)
  const indexCache = { state: context.state, fromBytes: CACHED_FROM_BYTES }
  return { isLive, indexCache: indexCache, read, ...(installedVersion === undefined ? {} : { installedVersion }) }
}

async function examine(
  session: SessionRef,
  store: Store,
  repair: StoreRepair | undefined,
  options: ExamineOptions,
): Promise<Examination> {
  const { traits } = store
  switch (repair?.framing) {
    case undefined:
      return await examineByReading(store, session, options.isLive)
    case 'json-lines':
      return await examineLog(session, traits, repair, damagesOfLogs, options)
    case 'json-document': {
      const { examineDocument } = await import('./examine-document.ts')
      return await compareWithReading(
        examineDocument(session, traits, repair, ofFraming('json-document'), options),
        store,
        session,
      )
    }
    case 'json-tree': {
      const { examineTree } = await import('./examine-tree.ts')
      return await compareWithReading(
        examineTree(session, traits, repair, ofFraming('json-tree'), options),
        store,
        session,
      )
    }
    case 'sqlite': {
      const { examineDatabase } = await import('./examine-database.ts')
      return await compareWithReading(
        examineDatabase(session, traits, repair, ofFraming('sqlite'), options),
        store,
        session,
      )
    }
  }
}

/**
 * Without findings, the agent must load what the reader shows. `examineLog` already compares the two, record
 * by record.
 */
async function compareWithReading(
  examining: Promise<Examination>,
  store: Store,
  session: SessionRef,
): Promise<Examination> {
  const examination = await examining
  if (examination.findings.length > 0) return examination
  const { shown, end } = await readToEnd(store.read(session))
  const { project } = end.facts
  const loaded = examination.loads.now
  const reach = { loaded, unreached: Math.max(0, shown - loaded), extra: Math.max(0, loaded - shown) }
  const mismatch = describeMismatch({ ...reach, loaded: Math.min(loaded, shown) }, shown, session.filePath)
  if (mismatch === undefined) return { ...examination, messageCount: shown, project }
  const refusal = { damage: mismatch.damage, reason: NO_KNOWN_REPAIR, file: session.filePath }
  return { ...examination, messageCount: shown, project, findings: [mismatch], refusals: [refusal] }
}

/** A session that cannot be resumed by its id is not healthy, whatever its file holds. */
function withOwnId(agent: Agent, session: SessionRef, examination: Examination): Examination {
  if (!isIdSuspect(agent, session)) return examination
  return {
    ...examination,
    findings: [...examination.findings, unusualId(agent, session)],
    refusals: [...examination.refusals, { damage: UNUSUAL_ID, reason: whyUnusual(agent), file: session.filePath }],
  }
}

function ofFraming<Framing extends Damage['framing']>(framing: Framing): Extract<Damage, { framing: Framing }>[] {
  return damages.filter((damage): damage is Extract<Damage, { framing: Framing }> => damage.framing === framing)
}

function conclude(session: SessionRef, examination: Examination, identity: FileIdentity): Checked {
  const { changes, refusals, ...facts } = examination
  const isBeingWritten = facts.findings.some(({ severity }) => severity === 'updating')
  const isDamaged = facts.findings.some(({ severity }) => severity !== 'updating')
  const status: Status = isDamaged ? 'corrupted' : isBeingWritten ? 'busy' : 'healthy'
  const verdict: Verdict = {
    ...identify(session),
    status,
    chainDepth: facts.chainDepth,
    orphanCount: facts.orphanCount,
    messageCount: facts.messageCount,
    fileSize: identity.size,
    loads: facts.loads,
    ...(facts.notLoaded === undefined ? {} : { notLoaded: facts.notLoaded }),
    ...(facts.copies === undefined ? {} : { copies: facts.copies }),
    ...(facts.sent === undefined ? {} : { sent: facts.sent }),
    findings: facts.findings,
    moreFindings: facts.moreFindings,
    refusals: refusals.map(({ damage, reason }) => ({ damage, text: reason })),
    ...(facts.mendedBy === undefined ? {} : { mendedBy: facts.mendedBy }),
    ...(status === 'busy' ? { reason: stillWritten(session) } : {}),
  }
  const planned = identifyFiles(session, changes, identity)
  return { verdict, changes, refusals, planned, identity: identity.key, project: facts.project }
}

function failed(session: SessionRef, error: RethreadError): Checked {
  const verdict = failedVerdict(session, { code: error.code, text: error.message, hint: error.hint })
  return { verdict, changes: [], refusals: [], planned: [], identity: '' }
}

function identify({ agent, sessionId, filePath }: SessionRef): Pick<Verdict, 'agent' | 'sessionId' | 'filePath'> {
  return { agent, sessionId, filePath }
}

/** The session's own file as it was before reading; other files as they are now. */
function identifyFiles(session: SessionRef, changes: readonly Change[], identity: FileIdentity): Checked['planned'] {
  return plannedFiles(changes).flatMap(file => {
    if (file === session.filePath) return [{ file, identity }]
    try {
      return [{ file, identity: identityOf(statPath(file)) }]
    } catch (error) {
      // A file that will be rewritten may be missing.
      if (error instanceof RethreadError && error.code === 'not-found') return []
      throw error
    }
  })
}

/** True where a record, a file or a call is incomplete. */
function isUnfinished({ findings, reason }: Verdict): boolean {
  return reason?.code === 'busy' || findings.some(({ severity }) => severity === 'updating')
}

function stillWritten({ sessionId }: SessionRef): NonNullable<Verdict['reason']> {
  return {
    code: 'still-being-written',
    text: 'The last record is not complete: the agent may still be writing it.',
    hint: `Check again in a moment: ${paste('rethread check', sessionId)}`,
  }
}

function agentOf(context: CheckContext, session: SessionRef): Agent {
  const agent = context.agents.find(({ id }) => id === session.agent)
  if (agent !== undefined) return agent
  throw new RethreadError({
    code: 'usage',
    text: `Unknown agent "${session.agent}".`,
    hint: `Use one of: ${context.agents.map(({ id }) => id).join(', ')}`,
  })
}
