// Conversations as files for a browser. A thread writes the whole file before the first byte is sent, so a
// failure is an error answer and never a file that ends in the middle.
import { join } from 'node:path'
import type { Context } from '../../catalog/context.ts'
import { placesOf } from '../../catalog/context.ts'
import { openFile } from '../../disk/files/read.ts'
import { makePrivateFolder } from '../../disk/state/private-folder.ts'
import type { ExportOptions } from '../../export/index.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import { IDLE_MS, ThreadPool, workerFile } from '../../threads/pool.ts'
import type { ExportCalls } from './export-worker.ts'

export interface WrittenExport {
  stream: ReadableStream<Uint8Array>
  size: number
}

export interface Exports {
  /** The file is removed when the stream ends or is cancelled. */
  write(session: SessionRef, options: ExportOptions, signal: AbortSignal): Promise<WrittenExport>
  close(): Promise<void>
}

export function makeExports(context: Context): Exports {
  const threads = new ThreadPool<ExportCalls>({
    file: workerFile(import.meta.url, 'export-worker'),
    size: 1,
    idleMs: IDLE_MS,
    data: () => placesOf(context),
    died: (_, cause) =>
      new RethreadError({
        code: 'fault',
        text: `The export failed because of a fault in rethread: ${cause instanceof Error ? cause.message : String(cause)}.`,
        hint: 'Try it on the command line: rethread export SESSION --output FILE',
        cause,
      }),
  })
  return {
    async write(session, options, signal) {
      const place = makePrivateFolder()
      try {
        const path = join(place.folder, 'export')
        await threads.call('write', { session, options, path }, { signal })
        return streamOf(path, place.folder, () => place.remove())
      } catch (error) {
        place.remove()
        throw error
      }
    },
    close: () => threads.close(),
  }
}

function streamOf(path: string, folder: string, onEnd: () => void): WrittenExport {
  const file = openFile(path, folder)
  const chunks = file.chunks()
  const end = (): void => {
    file.close()
    onEnd()
  }
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = chunks.next()
      if (!done) return controller.enqueue(value)
      end()
      controller.close()
    },
    cancel: end,
  })
  return { stream, size: file.identity.size }
}
