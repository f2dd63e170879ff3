// Converts a form of the agent to questions, and the answers to the content of the form.
import type { Answer } from '../../journal/client/index.ts'
import type { AgentQuestion } from '../../journal/conversation/changes.ts'
import { clipEnd } from '../../journal/conversation/clip.ts'
import { asFields } from '../../journal/envelope.ts'
import { RethreadError } from '../../model/errors.ts'
import type { QuestionAnswers, QuestionInfo, QuestionRequest } from '../shapes/request.ts'
import { MAX_HEADER_CHARS } from './limits.ts'
import { type RequestContext, readOptions } from './permissions.ts'

const DEFAULT_HEADER = 'Question'
const DEFAULT_QUESTION = 'The agent asks something.'

export function makeQuestion(asked: AgentQuestion, { id, sessionID, tool }: RequestContext): QuestionRequest {
  return {
    id,
    sessionID,
    questions: describe(asked),
    ...(tool === undefined ? {} : { tool: { messageID: tool.messageID, callID: tool.callID } }),
  }
}

/** Throws `usage` for an answer that is not one of the choices. */
export function answerQuestion(asked: AgentQuestion, answers: QuestionAnswers): Answer {
  if (isChoice(asked)) {
    const chosen = readOptions(asked).find(option => option.name === answers[0]?.[0])
    if (chosen === undefined) throw unfitting(readOptions(asked).map(option => option.name))
    return { type: 'selected', optionId: chosen.optionId }
  }
  const entries = readForm(asked.params).flatMap((field, index) => {
    const said = answers[index] ?? []
    return said.length === 0 ? [] : [[field.name, fill(field, said)] as const]
  })
  return { type: 'accept', content: Object.fromEntries(entries) }
}

export function rejectQuestion(asked: AgentQuestion): Answer {
  return isChoice(asked) ? { type: 'cancelled' } : { type: 'decline' }
}

/** Undefined where the question was dismissed. */
export function answersIn(asked: AgentQuestion, answer: unknown): QuestionAnswers | undefined {
  const { outcome, action, content } = asFields(answer)
  if (isChoice(asked)) {
    const { optionId } = asFields(outcome)
    const chosen = readOptions(asked).find(option => option.optionId === optionId)
    return chosen === undefined ? undefined : [[chosen.name]]
  }
  if (action !== 'accept') return undefined
  return readForm(asked.params).map(field => wordsOf(field, asFields(content)[field.name]))
}

/** A permission that is meant as a question. Its options are the answers. */
function isChoice({ params }: AgentQuestion): boolean {
  return Array.isArray(asFields(params)['options'])
}

function describe(asked: AgentQuestion): QuestionInfo[] {
  const { message, toolCall } = asFields(asked.params)
  if (isChoice(asked)) {
    const { title } = asFields(toolCall)
    const options = readOptions(asked).map(({ name }) => ({ label: name, description: '' }))
    const question = typeof title === 'string' ? title : DEFAULT_QUESTION
    return [{ question, header: DEFAULT_HEADER, options, multiple: false, custom: false }]
  }
  const asking = typeof message === 'string' && message !== '' ? message : DEFAULT_QUESTION
  const form = readForm(asked.params)
  return form.map(field => ({
    question: form.length === 1 ? asking : (field.description ?? field.title ?? asking),
    header: clipEnd(field.title ?? DEFAULT_HEADER, MAX_HEADER_CHARS),
    options: field.choices.map(({ label }) => ({ label, description: '' })),
    multiple: field.type === 'array',
    custom: field.choices.length === 0,
  }))
}

function fill(field: FormField, said: readonly string[]): unknown {
  const values = said.map(word => field.choices.find(({ label }) => label === word)?.value ?? word)
  if (field.type === 'array') return values
  const [first] = values
  if (field.type !== 'number' && field.type !== 'integer') return first
  const number = Number(first)
  if (Number.isNaN(number)) throw unfitting(['a number'])
  return number
}

function wordsOf(field: FormField, value: unknown): string[] {
  if (value === undefined || value === null) return []
  const values: unknown[] = Array.isArray(value) ? value : [value]
  return values.map(one => field.choices.find(choice => choice.value === one)?.label ?? String(one))
}

function unfitting(choices: readonly string[]): RethreadError {
  return new RethreadError({
    code: 'usage',
    text: `The answer is not one of: ${choices.join(', ')}.`,
    hint: 'The question is still open: answer it again.',
  })
}

export interface FormField {
  name: string
  type: string
  title: string | undefined
  description: string | undefined
  /** Empty where any answer is allowed. */
  choices: { label: string; value: string | boolean }[]
}

function readForm(params: unknown): FormField[] {
  const { properties } = asFields(asFields(params)['requestedSchema'])
  return Object.entries(asFields(properties)).map(([name, value]) => {
    const { type, title, description } = asFields(value)
    return {
      name,
      type: typeof type === 'string' ? type : 'string',
      title: typeof title === 'string' ? title : undefined,
      description: typeof description === 'string' ? description : undefined,
      choices: readChoices(type, value),
    }
  })
}

function readChoices(type: unknown, field: unknown): FormField['choices'] {
  if (type === 'boolean')
    return [
      { label: 'Yes', value: true },
      { label: 'No', value: false },
    ]
  const { enum: names, oneOf, anyOf } = asFields(type === 'array' ? asFields(field)['items'] : field)
  if (Array.isArray(names))
    return names.flatMap(name => (typeof name === 'string' ? [{ label: name, value: name }] : []))
  const titled = oneOf ?? anyOf
  return (Array.isArray(titled) ? titled : []).flatMap(option => {
    const { const: value, title } = asFields(option)
    return typeof value === 'string' ? [{ label: typeof title === 'string' ? title : value, value }] : []
  })
}
