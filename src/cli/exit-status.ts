// The one table from error codes to exit statuses. Scripts rely on it.
import type { ErrorCode } from '../model/errors.ts'

export const EXIT = {
  fine: 0,
  failed: 1,
  usage: 2,
  degraded: 3,
  trashed: 4,
  notExamined: 5,
  interrupted: 130,
} as const

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT]

export const EXIT_OF_ERROR: Record<ErrorCode, ExitStatus> = {
  'permission-denied': EXIT.notExamined,
  'not-found': EXIT.notExamined,
  'is-a-directory': EXIT.notExamined,
  'not-a-regular-file': EXIT.notExamined,
  'io-error': EXIT.notExamined,
  'too-many-open-files': EXIT.notExamined,
  'no-space': EXIT.failed,
  'empty-file': EXIT.notExamined,
  'outside-store': EXIT.notExamined,
  'not-a-session': EXIT.notExamined,
  'session-not-found': EXIT.notExamined,
  'ambiguous-session': EXIT.usage,
  'unsafe-argument': EXIT.failed,
  'database-busy': EXIT.notExamined,
  'database-corrupt': EXIT.notExamined,
  busy: EXIT.notExamined,
  locked: EXIT.notExamined,
  'plan-outdated': EXIT.notExamined,
  'no-receipt': EXIT.notExamined,
  'ambiguous-receipt': EXIT.usage,
  'undo-conflict': EXIT.notExamined,
  'rollback-failed': EXIT.failed,
  unsupported: EXIT.failed,
  usage: EXIT.usage,
  'repair-failed': EXIT.degraded,
  timeout: EXIT.notExamined,
  stopped: EXIT.interrupted,
  'agent-failed': EXIT.failed,
  fault: EXIT.failed,
}
