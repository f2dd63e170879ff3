// Requests of an agent to a person: permissions and forms. Each stays open until it is answered or cancelled.
import {
  CreateElicitationRequest,
  CreateElicitationResponse,
  type ElicitationSchema,
  RequestError,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk'
import { z } from 'zod'
import { RethreadError } from '../../model/errors.ts'
import type { AgentRequest, Answer, Waiting } from './client-side.ts'
import { parseParams, tooMany, unlessCancelled } from './errors.ts'
import { MAX_QUESTIONS_PER_SESSION } from './limits.ts'

interface Question extends PersonRequest {
  sessionId: string
  params: unknown
  settle(result: unknown): void
}

export class Questions {
  readonly #waiting = new Map<string, Question>()

  /** The request can be answered as soon as this returns its promise. */
  async ask({ sessionId, key, params, signal }: AgentRequest, asked: PersonRequest): Promise<unknown> {
    if (this.#waiting.has(key)) throw RequestError.invalidRequest({ key }, 'a question with this number is still open')
    if (this.waiting(sessionId).length >= MAX_QUESTIONS_PER_SESSION)
      throw tooMany('open questions', MAX_QUESTIONS_PER_SESSION)
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const question: Question = { ...asked, sessionId, params, settle: resolve }
    this.#waiting.set(key, question)
    try {
      return await unlessCancelled(promise, signal)
    } finally {
      // Another request may already use this key.
      if (this.#waiting.get(key) === question) this.#waiting.delete(key)
    }
  }

  answer(key: string, answer: Answer): void {
    const question = this.#waiting.get(key)
    if (question === undefined) throw nothingWaits(key)
    const result = question.resultOf(answer)
    this.#waiting.delete(key)
    question.settle(result)
  }

  waiting(sessionId: string): readonly Waiting[] {
    return [...this.#waiting]
      .filter(([, question]) => question.sessionId === sessionId)
      .map(([key, { type, params }]) => ({ key, type, params }))
  }

  cancel(sessionId: string): void {
    for (const { key } of this.waiting(sessionId)) this.answer(key, { type: 'cancelled' })
  }

  close(): void {
    for (const key of [...this.#waiting.keys()]) this.answer(key, { type: 'cancelled' })
  }
}

function nothingWaits(key: string): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `The question ${key} is no longer open: it was answered or cancelled, or its agent has ended.`,
    hint: 'Reload the conversation to see which questions are open.',
  })
}

/** A request to a person, and how an answer reads in ACP. */
export interface PersonRequest {
  type: Waiting['type']
  /** Throws `usage` for an answer that does not fit. */
  resultOf(answer: Answer): RequestPermissionResponse | CreateElicitationResponse
}

const permissionRequest = z.object({
  sessionId: z.string(),
  toolCall: z.looseObject({ toolCallId: z.string() }),
  options: z.array(
    z.object({
      optionId: z.string(),
      name: z.string(),
      kind: z.enum(['allow_once', 'allow_always', 'reject_once', 'reject_always']),
    }),
  ),
})

export function readPermission(params: unknown): PersonRequest {
  const { options } = parseParams(permissionRequest, params)
  const ids = options.map(option => option.optionId)
  return {
    type: 'permission',
    resultOf(answer) {
      switch (answer.type) {
        case 'selected':
          if (!ids.includes(answer.optionId))
            throw unfitting(`${answer.optionId} is not one of the options (${ids.join(', ')}).`)
          return { outcome: { outcome: 'selected', optionId: answer.optionId } }
        case 'cancelled':
          return { outcome: { outcome: 'cancelled' } }
        case 'accept':
        case 'decline':
          throw unfitting('Answer a permission with one of its options, or cancel it.')
      }
    },
  }
}

export function readQuestion(params: unknown): PersonRequest {
  const schema = formOf(params)
  return {
    type: 'question',
    resultOf(answer) {
      switch (answer.type) {
        case 'accept': {
          const fault = faultIn(answer.content, schema)
          if (fault !== undefined) throw unfitting(`The form cannot be accepted: ${fault}.`)
          return { action: 'accept', content: answer.content }
        }
        case 'decline':
          return { action: 'decline' }
        case 'cancelled':
          return { action: 'cancel' }
        case 'selected':
          throw unfitting('Answer a question with its form, decline it, or cancel it.')
      }
    },
  }
}

function formOf(params: unknown): ElicitationSchema {
  const { mode } = parseParams(z.looseObject({ mode: z.string() }), params)
  if (mode !== 'form') throw RequestError.invalidParams({ mode }, 'only questions with mode "form" are supported')
  // The guard checks the value itself, whatever its declared type.
  const request = params as CreateElicitationRequest
  if (CreateElicitationRequest.isForm(request)) return request.requestedSchema
  throw RequestError.invalidParams({ mode }, 'this is not a form according to the protocol schema')
}

function unfitting(text: string): RethreadError {
  return new RethreadError({ code: 'usage', text, hint: 'The question is still open: answer it again.' })
}

const stringField = z.looseObject({
  enum: z.array(z.string()).nullish(),
  oneOf: z.array(z.looseObject({ const: z.string() })).nullish(),
})
const choices = z.looseObject({
  enum: z.array(z.string()).nullish(),
  anyOf: z.array(z.looseObject({ const: z.string() })).nullish(),
})
const arrayField = z.looseObject({ items: choices })

/** Undefined where the content fits the form. The agent checks lengths, patterns and ranges itself. */
export function faultIn(content: Record<string, unknown>, schema: ElicitationSchema): string | undefined {
  const response = { action: 'accept' as const, content }
  // The guard checks the values themselves, whatever their declared type.
  if (!CreateElicitationResponse.isAccept(response as CreateElicitationResponse))
    return 'a value is not a text, number, boolean, or list of texts'
  const missing = schema.required?.find(name => content[name] === undefined)
  if (missing !== undefined) return `${missing} is missing`
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const value = content[name]
    if (value !== undefined && !fits(value, field)) return `${name} is not valid`
  }
  return undefined
}

function fits(value: unknown, field: { type: string }): boolean {
  switch (field.type) {
    case 'string':
      return typeof value === 'string' && isChoice(value, chosenFrom(stringField.parse(field)))
    case 'number':
      return typeof value === 'number'
    case 'integer':
      return Number.isInteger(value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'array': {
      const { enum: names, anyOf } = arrayField.parse(field).items
      return Array.isArray(value) && value.every(one => isChoice(one, chosenFrom({ enum: names, oneOf: anyOf })))
    }
    default:
      // A field type that this version does not know.
      return true
  }
}

function chosenFrom(field: Pick<z.infer<typeof stringField>, 'enum' | 'oneOf'>): readonly string[] | undefined {
  return field.enum ?? field.oneOf?.map(option => option.const)
}

function isChoice(value: unknown, from: readonly string[] | undefined): boolean {
  return from === undefined || (typeof value === 'string' && from.includes(value))
}
