// The bytes of a record as readable text. Pure.
export interface RecordText {
  text: string
  isJson: boolean
}

/** Longer values are shortened, so that the others stay visible. */
const MOST_CHARS = 400

/** `isCut`: the record is longer than these bytes. */
export function recordText(bytes: Uint8Array, isCut: boolean): RecordText {
  const text = new TextDecoder().decode(bytes)
  if (!isCut) {
    const value = parsed(text)
    if (value !== undefined) return { text: JSON.stringify(shortened(value), undefined, 2), isJson: true }
  }
  return { text: isCut ? `${text}…` : text, isJson: false }
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > MOST_CHARS ? `${value.slice(0, MOST_CHARS).toWellFormed()}…` : value
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]))
}
