// A thread that reads sessions into spools, so that the server continues to answer meanwhile.
import { workerData } from 'node:worker_threads'
import { storeOf } from '../../agents/store.ts'
import { readable } from '../../archive/archived-sessions.ts'
import { toJson } from '../../bytes/json.ts'
import type { Context, ContextPlaces } from '../../catalog/context.ts'
import { contextFor } from '../../catalog/context.ts'
import { makeLog } from '../../catalog/log.ts'
import { agentOf, readSession } from '../../catalog/reading.ts'
import { openStored } from '../../catalog/stored.ts'
import { failureOf, RethreadError } from '../../model/errors.ts'
import type { Place } from '../../model/message.ts'
import type { Checkpoint, Reading, ReadingEnd } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { CallTools } from '../../threads/calls.ts'
import { serveCalls } from '../../threads/serve.ts'
import type { ApiBytes } from '../api.ts'
import { readBytes } from './bytes.ts'
import { MAX_RECORD_BYTES } from './limits.ts'
import type { BytesOrder, ReadDone, ReadOrder, ReadProgress, RecordDone, RecordOrder } from './orders.ts'
import { SpoolWriter } from './spool-writer.ts'
import { readTail } from './tail.ts'

export interface ReadingThreadData extends ContextPlaces {
  logLevel?: string
}

const { logLevel, ...places } = workerData as ReadingThreadData
const context: Context = contextFor(places, makeLog(places.state, logLevel))

const calls = {
  read: (order: ReadOrder, tools: CallTools<ReadProgress>) => explained(order.session, read(order, tools)),
  record: (order: RecordOrder) => explained(order.session, readRecord(order)),
  bytes: (order: BytesOrder) => explained(order.session, readCopiedBytes(order)),
}
export type ReadingCalls = typeof calls

serveCalls(calls)

/** A fault is reported as a failure of the session's agent. */
async function explained<Result>({ agent }: SessionRef, reading: Promise<Result>): Promise<Result> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof RethreadError) throw error
    const { code, text, hint } = failureOf(agent, error)
    throw new RethreadError({ code, text, hint })
  }
}

async function read(
  { session, branch, spool, after, tailIn }: ReadOrder,
  { signal, progress }: CallTools<ReadProgress>,
): Promise<ReadDone> {
  if (tailIn !== undefined) progress({ tail: await readTail(context, session, tailIn) })
  const writer = new SpoolWriter(spool, session.filePath, batch => progress({ batch }))
  try {
    const reading = readSession(context, session, {
      ...(branch === undefined ? {} : { branch }),
      ...(after === undefined ? {} : { after: writer.readCheckpoint(after) as Checkpoint }),
    })
    const { checkpoint, ...end } = await writeAll(reading, writer, signal)
    const spooled =
      checkpoint === undefined ? {} : { checkpoint: writer.addCheckpoint(toJson(checkpoint), checkpoint.offset) }
    writer.flush()
    return { end, ...spooled, spoolEnd: writer.end }
  } finally {
    writer.close()
  }
}

async function writeAll(reading: Reading, writer: SpoolWriter, signal: AbortSignal): Promise<ReadingEnd> {
  try {
    let step = await reading.next()
    for (; !step.done; step = await reading.next()) {
      if (signal.aborted) throw notWanted()
      writer.add(step.value)
    }
    return step.value
  } finally {
    await reading.return(undefined as never)
  }
}

async function readRecord({ session, place }: RecordOrder): Promise<RecordDone> {
  const stored = await openStored(context, session)
  try {
    const bytes = await stored.read(bounded(place))
    const isCut = bytes.length > MAX_RECORD_BYTES
    return { bytes: isCut ? Uint8Array.from(bytes.subarray(0, MAX_RECORD_BYTES)) : bytes, isCut }
  } finally {
    stored.close()
  }
}

/** Of the copy, under the name of the original. */
async function readCopiedBytes({ session, start, end }: BytesOrder): Promise<ApiBytes> {
  const copy = await readable(context, session)
  const { traits } = storeOf(agentOf(context, session), session)
  return { ...readBytes(copy, traits, start, end), file: session.filePath }
}

/** One byte more than is shown says that there is more. */
function bounded(place: Place): Place {
  if ('table' in place) return place
  return { ...place, end: Math.min(place.end, place.start + MAX_RECORD_BYTES + 1) }
}

function notWanted(): RethreadError {
  return new RethreadError({ code: 'stopped', text: 'No client needs this reading.', hint: 'Open it again.' })
}
