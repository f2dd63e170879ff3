// What an agent asks a person, and how an answer of the person reads in the protocol.
import {
  CreateElicitationRequest,
  type CreateElicitationResponse,
  type ElicitationSchema,
  RequestError,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk'
import { z } from 'zod'
import { RethreadError } from '../../model/errors.ts'
import type { Answer, Waiting } from './client-side.ts'
import { faultIn } from './form-content.ts'
import { parseParams } from './refusals.ts'

export interface Asked {
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

export function readPermission(params: unknown): Asked {
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

export function readQuestion(params: unknown): Asked {
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
  // The guard looks at the value itself, whatever type is claimed for it.
  const request = params as CreateElicitationRequest
  if (CreateElicitationRequest.isForm(request)) return request.requestedSchema
  throw RequestError.invalidParams({ mode }, 'this is not a form according to the protocol schema')
}

function unfitting(text: string): RethreadError {
  return new RethreadError({ code: 'usage', text, hint: 'The question is still open: answer it again.' })
}
