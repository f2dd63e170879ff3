// The one table from error codes to HTTP statuses.
import type { ErrorCode } from '../model/errors.ts'

export const HTTP_OF_ERROR = {
  'permission-denied': 403,
  'not-found': 404,
  'is-a-directory': 422,
  'not-a-regular-file': 422,
  'io-error': 500,
  'too-many-open-files': 503,
  'no-space': 507,
  'empty-file': 422,
  'outside-store': 403,
  'not-a-session': 422,
  'session-not-found': 404,
  'ambiguous-session': 400,
  'unsafe-argument': 422,
  'database-busy': 423,
  'database-corrupt': 422,
  busy: 409,
  locked: 423,
  'plan-outdated': 409,
  'no-receipt': 404,
  'ambiguous-receipt': 400,
  'undo-conflict': 409,
  'rollback-failed': 500,
  unsupported: 501,
  usage: 400,
  'repair-failed': 500,
  timeout: 504,
  stopped: 503,
  'agent-failed': 502,
  fault: 500,
} as const satisfies Record<ErrorCode, number>

/** What any route may answer in place of what was wanted, by the table. */
export type ErrorStatus = (typeof HTTP_OF_ERROR)[ErrorCode]

/** What is refused before a route is reached: by the guards, or already while the request is read. */
export type RefusalStatus = 401 | 403 | 408 | 413 | 415 | 431
