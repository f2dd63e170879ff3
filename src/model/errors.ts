// The errors that rethread throws on purpose. Each says what happened, where, and which command helps.

export type ErrorCode =
  | 'permission-denied'
  | 'not-found'
  | 'is-a-directory'
  | 'not-a-regular-file'
  | 'io-error'
  | 'too-many-open-files'
  | 'no-space'
  | 'empty-file'
  | 'outside-store'
  | 'not-a-session'
  | 'session-not-found'
  | 'ambiguous-session'
  | 'unsafe-argument'
  | 'database-busy'
  | 'database-corrupt'
  | 'busy'
  | 'locked'
  | 'plan-outdated'
  | 'no-receipt'
  | 'ambiguous-receipt'
  | 'undo-conflict'
  | 'rollback-failed'
  | 'unsupported'
  | 'usage'
  | 'repair-failed'
  | 'timeout'
  | 'stopped'
  | 'archive-damaged'
  | 'agent-failed'
  | 'fault'

export interface ErrorDetails {
  code: ErrorCode
  text: string
  hint: string
  path?: string
  offset?: number
  cause?: unknown
}

export class RethreadError extends Error {
  readonly code: ErrorCode
  readonly hint: string
  readonly path: string | undefined
  readonly offset: number | undefined

  constructor(details: ErrorDetails) {
    super(details.text, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'RethreadError'
    this.code = details.code
    this.hint = details.hint
    this.path = details.path
    this.offset = details.offset
  }
}

/** An error as data, in a result that continues without the part that failed. */
export interface Failure {
  agent: string
  code: ErrorCode
  path: string
  text: string
  hint: string
}

export function failureOf(agent: string, error: unknown, path = ''): Failure {
  if (error instanceof RethreadError)
    return { agent, code: error.code, path: error.path ?? path, text: error.message, hint: error.hint }
  return {
    agent,
    code: 'agent-failed',
    path,
    text: error instanceof Error ? error.message : String(error),
    hint: 'This is a fault in rethread. Run the command again with --log-level debug and report what the log says.',
  }
}

export function hasErrorCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof RethreadError && error.code === code
}
