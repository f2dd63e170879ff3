// Whether what a person filled in is what the agent's form asked for: told to the person, who can still correct it.
import { CreateElicitationResponse, type ElicitationSchema } from '@agentclientprotocol/sdk'
import { z } from 'zod'

const stringField = z.looseObject({
  enum: z.array(z.string()).nullish(),
  oneOf: z.array(z.looseObject({ const: z.string() })).nullish(),
})
const choices = z.looseObject({
  enum: z.array(z.string()).nullish(),
  anyOf: z.array(z.looseObject({ const: z.string() })).nullish(),
})
const arrayField = z.looseObject({ items: choices })

/** Undefined where it fits. Lengths, patterns and ranges are left to the agent, which has to look at them anyway. */
export function faultIn(content: Record<string, unknown>, schema: ElicitationSchema): string | undefined {
  const response = { action: 'accept' as const, content }
  // The guard looks at the values themselves, whatever type is claimed for them.
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
      // A type that is newer than we are.
      return true
  }
}

function chosenFrom(field: Pick<z.infer<typeof stringField>, 'enum' | 'oneOf'>): readonly string[] | undefined {
  return field.enum ?? field.oneOf?.map(option => option.const)
}

function isChoice(value: unknown, from: readonly string[] | undefined): boolean {
  return from === undefined || (typeof value === 'string' && from.includes(value))
}
