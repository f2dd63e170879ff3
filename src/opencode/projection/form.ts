// The fields of a form as the agent sent it, however much of it is there.
import { fields } from '../../journal/envelope.ts'

export interface FormField {
  name: string
  type: string
  title: string | undefined
  description: string | undefined
  /** None: any answer. */
  choices: { label: string; value: string | boolean }[]
}

export function readForm(params: unknown): FormField[] {
  const { properties } = fields(fields(params)['requestedSchema'])
  return Object.entries(fields(properties)).map(([name, value]) => {
    const { type, title, description } = fields(value)
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
  const { enum: names, oneOf, anyOf } = fields(type === 'array' ? fields(field)['items'] : field)
  if (Array.isArray(names))
    return names.flatMap(name => (typeof name === 'string' ? [{ label: name, value: name }] : []))
  const titled = oneOf ?? anyOf
  return (Array.isArray(titled) ? titled : []).flatMap(option => {
    const { const: value, title } = fields(option)
    return typeof value === 'string' ? [{ label: typeof title === 'string' ? title : value, value }] : []
  })
}
