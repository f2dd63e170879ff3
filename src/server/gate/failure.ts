// An error as the client is told.
import { failureOf } from '../../model/errors.ts'
import type { ServerMessageOf } from '../protocol.ts'
import { FolderGone } from './programs.ts'

export function failure(error: unknown, requestId: string): ServerMessageOf<'error'> {
  const { code, text, hint } = failureOf('', error)
  const offers = error instanceof FolderGone && error.offers.length > 0 ? { offers: error.offers } : {}
  return { type: 'error', code, text, hint, requestId, ...offers }
}
