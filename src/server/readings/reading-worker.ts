// A thread that reads sessions into spools: however long that takes, the server goes on answering.
import { parentPort, workerData } from 'node:worker_threads'
import { toJson } from '../../bytes/json.ts'
import type { Context } from '../../catalog/context.ts'
import { contextFor } from '../../catalog/context.ts'
import { makeLog } from '../../catalog/log.ts'
import { readSession } from '../../catalog/reading.ts'
import { openStored } from '../../catalog/stored.ts'
import type { ErrorDetails } from '../../model/errors.ts'
import { failureOf, RethreadError } from '../../model/errors.ts'
import type { Place } from '../../model/message.ts'
import type { Checkpoint, Reading, ReadingEnd } from '../../model/reading.ts'
import { MAX_RECORD_BYTES } from './limits.ts'
import type { Answer, Order, ReadDone, ReadOrder, RecordDone, RecordOrder, WorkerSetUp } from './orders.ts'
import { SpoolWriter } from './spool-writer.ts'
import { readTail } from './tail.ts'

const { logLevel, busyMs, ...places } = workerData as WorkerSetUp
const context: Context = {
  ...contextFor(places, makeLog(places.state, logLevel)),
  ...(busyMs === undefined ? {} : { busyMs }),
}
const stopped = new Set<number>()
const port = parentPort
const tell = (answer: Answer): void => port?.postMessage(answer)

port?.on('message', (order: Order) => {
  if (order.type === 'stop') stopped.add(order.id)
  else void carryOut(order)
})

async function carryOut(order: Exclude<Order, { type: 'stop' }>): Promise<void> {
  const { id, type } = order
  try {
    if (type === 'read') tell({ type, id, done: await read(id, order.order) })
    else tell({ type, id, done: await readRecord(order.order) })
  } catch (error) {
    tell({ type: 'failed', id, error: detailsOf(error, order.order.session.agent) })
  } finally {
    stopped.delete(id)
  }
}

async function read(id: number, { session, branch, spool, after, tailIn }: ReadOrder): Promise<ReadDone> {
  if (tailIn !== undefined) tell({ type: 'tail', id, messages: await readTail(context, session, tailIn) })
  const writer = new SpoolWriter(spool, session.filePath, batch => tell({ type: 'batch', id, batch }))
  try {
    const reading = readSession(context, session, {
      ...(branch === undefined ? {} : { branch }),
      ...(after === undefined ? {} : { after: writer.readCheckpoint(after) as Checkpoint }),
    })
    const { checkpoint, ...end } = await writeAll(id, reading, writer)
    const spooled =
      checkpoint === undefined ? {} : { checkpoint: writer.addCheckpoint(toJson(checkpoint), checkpoint.offset) }
    writer.flush()
    return { end, ...spooled, spoolEnd: writer.end }
  } finally {
    writer.close()
  }
}

async function writeAll(id: number, reading: Reading, writer: SpoolWriter): Promise<ReadingEnd> {
  try {
    let step = await reading.next()
    for (; !step.done; step = await reading.next()) {
      if (stopped.has(id)) throw notWanted()
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

/** One byte more than is shown says that there is more. */
function bounded(place: Place): Place {
  if ('table' in place) return place
  return { ...place, end: Math.min(place.end, place.start + MAX_RECORD_BYTES + 1) }
}

function detailsOf(error: unknown, agent: string): ErrorDetails {
  const { code, text, hint, path } = failureOf(agent, error)
  const offset = error instanceof RethreadError ? error.offset : undefined
  return { code, text, hint, ...(path === '' ? {} : { path }), ...(offset === undefined ? {} : { offset }) }
}

function notWanted(): RethreadError {
  return new RethreadError({ code: 'stopped', text: 'No client needs this reading.', hint: 'Open it again.' })
}
