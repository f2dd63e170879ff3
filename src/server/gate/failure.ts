// An error as the client is told.
import { failureOf } from '../../model/errors.ts'
import type { ServerMessageOf } from '../protocol.ts'

export function failure(error: unknown, requestId: string): ServerMessageOf<'error'> {
  const { code, text, hint } = failureOf('', error)
  return { type: 'error', code, text, hint, requestId }
}
