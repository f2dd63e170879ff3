// The only table from error codes to HTTP statuses.
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
  'archive-damaged': 500,
  'agent-failed': 502,
  fault: 500,
} as const satisfies Record<ErrorCode, number>

/** The error statuses that any route may answer. */
export type ErrorStatus = (typeof HTTP_OF_ERROR)[ErrorCode]

/** The statuses of requests that are refused before they reach a route. */
export type RefusalStatus = 401 | 403 | 408 | 413 | 415 | 431
