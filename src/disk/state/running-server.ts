// Where a server of rethread runs, for commands that connect to it. It is a file in the state folder, valid
// only while its process exists.
import { join } from 'node:path'
import { z } from 'zod'
import { readOptionalFile } from '../files/read.ts'
import { identifyProcess, isSameProcess } from '../processes/process-identity.ts'
import { removeIfThere, replaceOwnFile } from './own-files.ts'
import { stateFolder } from './state.ts'

const FILE = 'server.json'
const MAX_BYTES = 10_000

const recordSchema = z.object({ host: z.string(), port: z.number(), pid: z.number(), began: z.string() })

export interface RunningAt {
  host: string
  port: number
}

/** Returns a function that removes the record. It leaves the record of a newer server alone. */
export function recordServer(state: string, { host, port }: RunningAt): () => void {
  const path = join(stateFolder(state), FILE)
  const record = { host, port, ...(identifyProcess(process.pid) ?? { pid: process.pid, began: '' }) }
  replaceOwnFile(path, `${JSON.stringify(record)}\n`)
  return () => {
    if (readRecord(state)?.pid === process.pid) removeIfThere(path)
  }
}

/** Undefined where no server runs. */
export function findServer(state: string): RunningAt | undefined {
  const record = readRecord(state)
  return record !== undefined && isSameProcess(record) ? { host: record.host, port: record.port } : undefined
}

/** An unreadable record counts as none. The next server rewrites it. */
function readRecord(state: string): z.infer<typeof recordSchema> | undefined {
  const bytes = readOptionalFile(join(state, FILE), state, MAX_BYTES)
  if (bytes === undefined) return undefined
  try {
    return recordSchema.safeParse(JSON.parse(bytes.toString('utf8'))).data
  } catch {
    return undefined
  }
}
