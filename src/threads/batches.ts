// Many small sessions are handed to a thread together: a call for each would take longer than its work.
import { setImmediate } from 'node:timers/promises'
import type { SessionRef } from '../model/session.ts'
import { sharedBytes } from '../model/shared-bytes.ts'

const MAX_BYTES = 1024 * 1024
const MAX_SESSIONS = 32

export function* batchesOf(
  sessions: readonly SessionRef[],
  share = sharedBytes(sessions),
): Generator<SessionRef[], void, void> {
  let batch: SessionRef[] = []
  let bytes = 0
  for (const session of sessions) {
    if (batch.length > 0 && (batch.length >= MAX_SESSIONS || bytes + share(session) > MAX_BYTES)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(session)
    bytes += share(session)
  }
  if (batch.length > 0) yield batch
}

/** Longer sessions are left to the threads: meanwhile this one would not notice an interrupt. */
const MAX_BYTES_HERE = 64 * 1024 * 1024

export interface Sharing {
  /** Runs a batch in another thread. So many of them are under way at once. */
  there(batch: SessionRef[]): Promise<void>
  lanes: number
  /** Runs a batch in this thread, for a caller that waits for nothing else. */
  here?: ((batch: SessionRef[]) => Promise<void>) | undefined
}

/** Every batch is run once, wherever there is time for it. */
export async function shareBatches(sessions: readonly SessionRef[], { there, lanes, here }: Sharing): Promise<void> {
  const share = sharedBytes(sessions)
  const isLong = (session: SessionRef): boolean => share(session) > MAX_BYTES_HERE
  const left = [...sessions.filter(isLong), ...sessions.filter(session => !isLong(session))]
  const batches = [...batchesOf(left, share)]
  const runThere = async (): Promise<void> => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) await there(batch)
  }
  const runHere = async (): Promise<void> => {
    for (let last = batches.at(-1); here !== undefined && last?.some(isLong) === false; last = batches.at(-1)) {
      batches.pop()
      await here(last)
      // So that the results of the threads are taken and they get more to do.
      await setImmediate()
    }
  }
  await Promise.all([...Array.from({ length: lanes }, runThere), runHere()])
}
