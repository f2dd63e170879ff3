// Errors for the agent, as ACP defines them.
import { RequestError } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import { type ErrorCode, RethreadError } from '../../model/errors.ts'

/** The request itself is wrong. All other codes are problems of this machine. */
const WRONG_REQUEST: ReadonlySet<ErrorCode> = new Set([
  'usage',
  'unsupported',
  'outside-store',
  'is-a-directory',
  'not-a-regular-file',
])

/** Other errors are faults of rethread and pass through unchanged. */
export function toRequestError(error: unknown): unknown {
  if (!(error instanceof RethreadError)) return error
  const { code, path, message } = error
  if (code === 'not-found' && path !== undefined) return RequestError.resourceNotFound(path)
  const data = { code, ...(path === undefined ? {} : { path }) }
  return WRONG_REQUEST.has(code) ? RequestError.invalidParams(data, message) : RequestError.internalError(data, message)
}

export function parseParams<Schema extends z.ZodType>(schema: Schema, params: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(params)
  if (parsed.success) return parsed.data
  throw RequestError.invalidParams({ issues: parsed.error.issues }, z.prettifyError(parsed.error))
}

export function tooMany(what: string, limit: number): RequestError {
  return RequestError.invalidRequest({ limit }, `this session already has ${limit} ${what}, which is the limit`)
}

export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw RequestError.requestCancelled()
}

/** The promise continues. Only this request stops waiting for it. */
export async function unlessCancelled<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  throwIfCancelled(signal)
  const { promise: cancelled, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(RequestError.requestCancelled())
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, cancelled])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
