// The threads of the sources are started from the package of this run: each would load the same few hundred modules
// one by one.
import { existsSync } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { WorkerOptions } from 'node:worker_threads'

const SOURCES = pathToFileURL(join(import.meta.dirname, '..', '..', 'src', '/')).href

const ownPackage = process.env['RETHREAD_TEST_PACKAGE']

// Once in a process: this module is loaded for the first test file alone.
if (ownPackage !== undefined) startThreadsFrom(ownPackage)

function startThreadsFrom(folder: string): void {
  // Not by `import`, whose bindings cannot be changed.
  const threads: { Worker: typeof import('node:worker_threads').Worker } = createRequire(import.meta.url)(
    'node:worker_threads',
  )
  const { Worker } = threads
  threads.Worker = class extends Worker {
    constructor(file: string | URL, options?: WorkerOptions) {
      super(joined(file, folder), options)
    }
  }
  syncBuiltinESMExports()
}

function joined(file: string | URL, folder: string): string | URL {
  if (!String(file).startsWith(SOURCES)) return file
  const other = join(folder, 'dist', `${basename(String(file), '.ts')}.js`)
  return existsSync(other) ? pathToFileURL(other) : file
}
