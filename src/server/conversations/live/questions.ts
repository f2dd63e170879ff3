// Prepares the questions of an agent for display: bounded, and a form as a list of fields.
import { z } from 'zod'
import type { AgentQuestion } from '../../../journal/conversation/changes.ts'
import { clipEnd, describeValue } from '../../../journal/conversation/clip.ts'
import { asFields } from '../../../journal/envelope.ts'
import type { QuestionField, TalkQuestion } from '../../api.ts'
import { MAX_SHOWN_CHARS, MAX_SHOWN_ENTRIES } from '../../limits.ts'

const permission = z.object({
  toolCall: z.looseObject({ title: z.string().nullish(), kind: z.string().nullish(), rawInput: z.unknown() }),
  options: z.array(z.object({ optionId: z.string(), name: z.string(), kind: z.string() })),
})

const choice = z.looseObject({ const: z.string(), title: z.string().nullish() })
const choices = {
  enum: z.array(z.string()).nullish(),
  oneOf: z.array(choice).nullish(),
  anyOf: z.array(choice).nullish(),
}
const field = z.looseObject({
  type: z.string(),
  title: z.string().nullish(),
  description: z.string().nullish(),
  items: z.looseObject(choices).nullish(),
  ...choices,
})
const form = z.object({
  message: z.string().nullish(),
  requestedSchema: z.looseObject({
    properties: z.record(z.string(), z.unknown()).nullish(),
    required: z.array(z.string()).nullish(),
  }),
})

/** Undefined for a question without any way to answer it. */
export function showQuestion({ key, params }: AgentQuestion): TalkQuestion | undefined {
  const asked = permission.safeParse(params)
  if (asked.success) return showPermission(key, asked.data)
  const filled = form.safeParse(params)
  return filled.success ? showForm(key, filled.data) : undefined
}

function showPermission(key: string, { toolCall, options }: z.infer<typeof permission>): TalkQuestion {
  const { rawInput } = toolCall
  return {
    type: 'permission',
    key,
    title: cut(toolCall.title || toolCall.kind || 'Use a tool'),
    input: rawInput === undefined || rawInput === null ? null : cut(describeInput(rawInput)),
    options: options.slice(0, MAX_SHOWN_ENTRIES).map(({ optionId, name, kind }) => ({
      id: optionId,
      name: cut(name),
      isAllowing: kind.startsWith('allow'),
      isLasting: kind.endsWith('_always'),
    })),
  }
}

/** Most questions are about one command, which is shown without its field name. */
function describeInput(input: unknown): string {
  const { command } = asFields(input)
  if (typeof command === 'string') return command
  return typeof input === 'string' ? input : describeValue(input)
}

function showForm(key: string, { message, requestedSchema }: z.infer<typeof form>): TalkQuestion {
  const required = new Set(requestedSchema.required ?? [])
  const named = Object.entries(requestedSchema.properties ?? {}).slice(0, MAX_SHOWN_ENTRIES)
  return {
    type: 'question',
    key,
    message: cut(message ?? ''),
    fields: named.map(([name, value]) => showField(name, value, required.has(name))),
  }
}

/** A field of an unknown type is shown as text. */
function showField(name: string, value: unknown, isRequired: boolean): QuestionField {
  const parsed = field.safeParse(value)
  const known = parsed.success ? parsed.data : { type: 'string' }
  const { title, description } = parsed.success ? parsed.data : {}
  const from = known.type === 'array' ? (parsed.data?.items ?? {}) : (parsed.data ?? {})
  const options = optionsOf(from).slice(0, MAX_SHOWN_ENTRIES)
  return {
    name,
    title: cut(title || name),
    description: description ? cut(description) : null,
    type: typeOf(known.type, options.length > 0),
    options,
    isRequired,
  }
}

function typeOf(type: string, hasOptions: boolean): QuestionField['type'] {
  if (type === 'number' || type === 'integer' || type === 'boolean') return type
  if (type === 'array') return 'choices'
  return hasOptions ? 'choice' : 'text'
}

type Choices = { [Name in keyof typeof choices]?: z.infer<(typeof choices)[Name]> }

function optionsOf({ enum: names, oneOf, anyOf }: Choices): QuestionField['options'] {
  if (names !== undefined && names !== null) return names.map(value => ({ value, title: cut(value) }))
  return (oneOf ?? anyOf ?? []).map(option => ({ value: option.const, title: cut(option.title || option.const) }))
}

export function cut(text: string): string {
  return clipEnd(text, MAX_SHOWN_CHARS)
}
