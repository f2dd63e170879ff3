// Converts a filled form into the content that the agent expects. Pure.
import type { QuestionField } from '../../../src/server/protocol.ts'

/** The values of the form fields. */
export type Filled = Readonly<Record<string, string | boolean | readonly string[]>>

/** Leaves out empty fields. */
export function contentOf(fields: readonly QuestionField[], filled: Filled): Record<string, unknown> {
  const content: Record<string, unknown> = {}
  for (const { name, type } of fields) {
    const value = filled[name]
    if (type === 'boolean') content[name] = value === true
    else if (type === 'choices') content[name] = Array.isArray(value) ? value : []
    else if (typeof value === 'string' && value !== '')
      content[name] = type === 'number' || type === 'integer' ? Number(value) : value
  }
  return content
}

/** The title of the first required field that is empty, or of a number field without a number. */
export function missingIn(fields: readonly QuestionField[], filled: Filled): string | undefined {
  const content = contentOf(fields, filled)
  return fields.find(({ name, type, isRequired }) => {
    const value = content[name]
    if (type === 'integer' && value !== undefined && !Number.isInteger(value)) return true
    if (type === 'number' && value !== undefined && !Number.isFinite(value)) return true
    return isRequired && value === undefined
  })?.title
}
