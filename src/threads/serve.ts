// The side of the thread: a worker module hands its table of async functions to `serveCalls`.
import { parentPort } from 'node:worker_threads'
import type { ErrorDetails } from '../model/errors.ts'
import { RethreadError } from '../model/errors.ts'
import type { CallTable, CallTools, FromThread, ToThread } from './calls.ts'
import { COMPILE_CACHE } from './options.ts'
import { silenceSqliteWarning } from './warnings.ts'

export interface Served<Notice> {
  /** Sends something that is not part of any call. */
  publish(notice: Notice): void
}

/** Calls run side by side; the pool decides how many a thread is given at once. */
export function serveCalls<Notice = never>(table: CallTable): Served<Notice> {
  const port = parentPort
  if (port === null) throw new Error('A worker module runs only in a thread.')
  delete process.env[COMPILE_CACHE]
  silenceSqliteWarning()
  const running = new Map<number, AbortController>()
  const post = (message: FromThread): void => port.postMessage(message)

  const run = async (name: string, input: unknown, tools: CallTools<unknown>): Promise<unknown> => {
    const call = table[name] as ((input: unknown, tools: CallTools<unknown>) => Promise<unknown>) | undefined
    if (call === undefined) throw new Error(`The thread has no call "${name}".`)
    return await call(input, tools)
  }
  const answer = async (id: number, name: string, input: unknown): Promise<void> => {
    const controller = new AbortController()
    running.set(id, controller)
    const progress = (step: unknown): void => post({ type: 'progress', id, progress: step })
    try {
      post({ type: 'result', id, result: await run(name, input, { signal: controller.signal, progress }) })
    } catch (error) {
      post(failureOf(id, error))
    } finally {
      running.delete(id)
    }
  }
  port.on('message', (message: ToThread) => {
    switch (message.type) {
      case 'call':
        return void answer(message.id, message.name, message.input)
      case 'notify':
        // Without a caller to reject, a failure ends the thread and is reported as its death.
        return void run(message.name, message.input, { signal: new AbortController().signal, progress() {} })
      case 'abort':
        return running.get(message.id)?.abort()
      case 'end':
        // Ends this thread alone, after its listeners of `exit` have run.
        return process.exit(0)
    }
  })
  return { publish: notice => post({ type: 'notice', notice }) }
}

function failureOf(id: number, error: unknown): FromThread {
  if (error instanceof RethreadError) return { type: 'refused', id, details: detailsOf(error) }
  // Errors are cloned with message and stack; what else they carry may not be clonable.
  const fault = error instanceof Error ? Object.assign(new Error(error.message), { stack: error.stack }) : String(error)
  return { type: 'fault', id, error: fault }
}

function detailsOf({ code, message, hint, path, offset }: RethreadError): ErrorDetails {
  return {
    code,
    text: message,
    hint,
    ...(path === undefined ? {} : { path }),
    ...(offset === undefined ? {} : { offset }),
  }
}
