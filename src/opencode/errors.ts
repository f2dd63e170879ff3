// Error responses, in the two shapes that clients expect.
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { ZodError } from 'zod'
import { fromAgentError } from '../journal/agent-errors.ts'
import { type ErrorCode, RethreadError } from '../model/errors.ts'
import type { ErrorStatus, OpenCodeOptions } from './api.ts'
import { type ErrorBody, makeErrorBody } from './shapes/message.ts'

type RefusalStatus = ErrorStatus | 401

const NAMES: Partial<Record<RefusalStatus, string>> = {
  400: 'BadRequest',
  401: 'UnauthorizedError',
  403: 'ForbiddenError',
  404: 'NotFoundError',
  409: 'SessionBusyError',
  413: 'TooLargeError',
  501: 'NotSupportedError',
  502: 'AgentFailedError',
  503: 'ServiceUnavailableError',
}

/** `hint`: what to do about it, if known. */
export function refusalOf(status: RefusalStatus, message: string, hint?: string): ErrorBody {
  const refusal = makeErrorBody(NAMES[status] ?? 'UnknownError', message)
  return hint === undefined ? refusal : { ...refusal, data: { ...refusal.data, hint } }
}

export function answerError(options: OpenCodeOptions, thrown: unknown, context: Context): Response {
  const error = fromAgentError(thrown)
  if (error instanceof RethreadError) {
    const status = options.statusOf(error.code)
    return context.json(refusalOf(status, error.message, error.hint), status)
  }
  // A body that is not JSON.
  if (error instanceof HTTPException && error.status < 500) return context.json(refusalOf(400, error.message), 400)
  if (error instanceof ZodError) return context.json(refusalOf(400, describeIssue(error)), 400)
  const path = context.req.path
  options.log('A request ended in a fault.', { path, error: error instanceof Error ? error.stack : String(error) })
  return context.json(refusalOf(500, 'rethread itself failed.', 'Run it with --log-level debug for details.'), 500)
}

function describeIssue({ issues: [issue] }: ZodError): string {
  const at = issue?.path.join('.') ?? ''
  return `The request is not valid: ${at === '' ? '' : `${at}: `}${issue?.message ?? 'it is not valid'}.`
}

/** For a feature of OpenCode that an agent behind ACP does not have. */
export function unsupported(text: string, hint = 'Nothing was changed.'): RethreadError {
  return refuse('unsupported', text, hint)
}

export function badRequest(text: string, hint = 'Nothing was changed.'): RethreadError {
  return refuse('usage', text, hint)
}

export function notFound(text: string, hint = 'List what exists, and try again.'): RethreadError {
  return refuse('not-found', text, hint)
}

function refuse(code: ErrorCode, text: string, hint: string): RethreadError {
  return new RethreadError({ code, text, hint })
}

/** Clients and tests expect exactly this text. */
export function modelIsFixed(): RethreadError {
  return badRequest(
    'OpenCode compatibility currently does not support changing the model after creating a session. Export with /export and load in to a new session.',
    'Start another session for another model.',
  )
}

export function noSession(id: string): RethreadError {
  return new RethreadError({
    code: 'session-not-found',
    text: `There is no session ${id}.`,
    hint: 'List the sessions to see their ids.',
  })
}
