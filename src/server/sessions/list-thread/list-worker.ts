// The thread that finds sessions and reads each once for the list, while the server continues to answer.
import { workerData } from 'node:worker_threads'
import type { Context } from '../../../catalog/context.ts'
import { contextFor } from '../../../catalog/context.ts'
import { makeLog } from '../../../catalog/log.ts'
import type { Summary } from '../../../catalog/summaries.ts'
import { openSummaries } from '../../../catalog/summaries.ts'
import type { LabelledSession } from '../../../disk/state/labels.ts'
import { changeLabels, labelsIdentity, readLabels } from '../../../disk/state/labels.ts'
import type { Failure } from '../../../model/errors.ts'
import { failureOf, RethreadError } from '../../../model/errors.ts'
import type { LabelChange } from '../../../model/label.ts'
import { paste } from '../../../model/paste.ts'
import type { SessionRef } from '../../../model/session.ts'
import { serveCalls } from '../../../threads/serve.ts'
import { describeAgents } from '../../agents.ts'
import type { Progress } from '../../api.ts'
import { keyOfSession } from '../key.ts'
import { ThreadCatalog } from './catalog.ts'
import { makeFinder } from './finder.ts'
import type { ListThreadData, ThreadMessage } from './messages.ts'
import { makeOutbox } from './outbox.ts'
import { makeReader } from './reader.ts'

/** Reading a session of this size may need more memory than a thread has. */
const LARGE_BYTES = 1024 * 1024
/** A larger session that is still growing is read at the next refresh, not at every change. */
const MAX_REREAD_BYTES = 16 * LARGE_BYTES
const PROGRESS_MS = 100

const { known, avoided, ...places } = workerData as ListThreadData
const context: Context = contextFor(places, makeLog(places.state))
const summaries = openSummaries(context)
const outbox = makeOutbox(publish)
const catalog = new ThreadCatalog(summaries, outbox, known)
const finder = makeFinder(context, catalog)
let progressAt = 0
const reader = makeReader({
  isCurrent: session => catalog.isCurrent(session),
  learn,
  learnt: (session, summary) => catalog.learnt(session, summary),
  onProgress,
})

const calls = {
  refresh: (_: null): Promise<void> => answered(refresh),
  /** Scans all stores of one agent in one place. */
  scanStore: ({ agent, root }: { agent: string; root: string }): Promise<void> =>
    answered(() => scanStore(agent, root)),
  /** A session has changed to this: its row is published now, and again when it was read. */
  renewed: async (session: SessionRef): Promise<void> => renew(session),
  gone: async (key: string): Promise<void> => catalog.forget(key),
  labels: async (_: null): Promise<void> => publishLabels(),
  label: ({ session, change }: { session: LabelledSession; change: LabelChange }): Promise<void> =>
    answered(async () => {
      changeLabels(places.state, [session], change)
      publishLabels()
    }),
}
export type ListCalls = typeof calls

const served = serveCalls<ThreadMessage>(calls)

process.once('exit', () => {
  reader.stop()
  summaries.close()
})

function publish(message: ThreadMessage): void {
  served.publish(message)
}

/** Publishes the found sessions before the call is answered. */
async function answered(step: () => Promise<void>): Promise<void> {
  try {
    await step()
  } catch (error) {
    throw new RethreadError(failureOf('', error))
  } finally {
    outbox.flush()
  }
}

async function refresh(): Promise<void> {
  publishLabels()
  publishAgents()
  onProgress({ phase: 'finding', done: 0, total: 0, bytesDone: 0, bytesTotal: 0 })
  const missing = await finder.findAll()
  publishAgents()
  reader.readAll(missing)
}

async function scanStore(agent: string, root: string): Promise<void> {
  for (const session of await finder.findAt(agent, root)) reader.readNext(session)
  publishAgents()
}

function renew(session: SessionRef): void {
  const isMissing = catalog.meet(session)
  if (isMissing && (session.fileSize <= MAX_REREAD_BYTES || !catalog.isDescribed(session))) reader.readNext(session)
  outbox.flush()
}

function publishLabels(): void {
  // Taken before the reading, so that a change in between is noticed the next time.
  const identity = labelsIdentity(places.state)
  try {
    outbox.send({ type: 'labels', labels: readLabels(places.state).entries, identity, failure: undefined })
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    outbox.send({ type: 'labels', labels: new Map(), identity, failure: failureOf('rethread', error) })
  }
}

function publishAgents(): void {
  const failures: Failure[] = []
  const described = describeAgents(context, finder.counts(), failures)
  outbox.send({ type: 'agents', agents: described })
  outbox.send({ type: 'failures', failures: [...failures, ...finder.failures()] })
}

async function learn(session: SessionRef): Promise<Summary> {
  const key = keyOfSession(session)
  if (avoided.includes(key)) return notReadAgain(session)
  if (session.fileSize >= LARGE_BYTES) outbox.send({ type: 'reads', key })
  return await summaries.learn(session)
}

/** A session that killed a thread is not read again: it would kill the next one. */
function notReadAgain({ agent, filePath, sessionId }: SessionRef): Summary {
  const failure: Failure = {
    agent,
    code: 'agent-failed',
    path: filePath,
    text: `${filePath} was not read, because rethread failed on it before.`,
    hint: `See what is wrong with it: ${paste('rethread check', sessionId)}`,
  }
  return { messageCount: 0, skipped: 0, isWithoutConversation: false, failure }
}

function onProgress(progress: Progress): void {
  const isStep = progress.phase === 'reading' && progress.done > 0
  if (isStep && performance.now() - progressAt < PROGRESS_MS) return
  progressAt = performance.now()
  outbox.send({ type: 'progress', progress })
}
