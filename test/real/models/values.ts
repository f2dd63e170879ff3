// Careful looks into JSON of unknown shape.

export type Fields = Record<string, unknown>

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The text of content that is a string or a list of parts with `text`. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .map(part => textOf(fieldsOf(part)['text']))
    .join(' ')
}

/** Messages that are part of the conversation: agents also send instructions, again with each request. */
export function spokenIn(messages: unknown): unknown[] {
  return listOf(messages).filter(message => !/^(system|developer)$/.test(textOf(fieldsOf(message)['role'])))
}

/** Every string in a value, keys included. */
export function* stringsIn(value: unknown): Generator<string, void, void> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const item of value) yield* stringsIn(item)
  else if (isFields(value))
    for (const [name, item] of Object.entries(value)) {
      yield name
      yield* stringsIn(item)
    }
}
