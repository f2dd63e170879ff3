// The thread that writes a conversation as a file, so that the server continues to answer.
import { workerData } from 'node:worker_threads'
import type { ContextPlaces } from '../../catalog/context.ts'
import { contextFor } from '../../catalog/context.ts'
import { makeLog } from '../../catalog/log.ts'
import { createExportFile } from '../../disk/archive/export-files.ts'
import type { ExportOptions } from '../../export/index.ts'
import { exportSession } from '../../export/index.ts'
import { failureOf, RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { CallTools } from '../../threads/calls.ts'
import { serveCalls } from '../../threads/serve.ts'

const places = workerData as ContextPlaces
const context = contextFor(places, makeLog(places.state))

interface Wanted {
  session: SessionRef
  options: ExportOptions
  path: string
}

const calls = {
  async write({ session, options, path }: Wanted, { signal }: CallTools<never>): Promise<null> {
    const file = createExportFile(path, false)
    try {
      await exportSession(context, session, options, async text => {
        signal.throwIfAborted()
        file.write(text)
      })
      file.commit()
      return null
    } catch (error) {
      throw new RethreadError(failureOf(session.agent, error, session.filePath))
    } finally {
      file.abandon()
    }
  },
}

export type ExportCalls = typeof calls

serveCalls(calls)
