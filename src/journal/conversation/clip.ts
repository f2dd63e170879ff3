// Text made short without half a character, and any value as text.

export const CUT_MARK = '[…]'

/** At most `limit` long: the beginning. */
export function clipEnd(text: string, limit: number): string {
  if (text.length <= limit) return text
  return limit <= CUT_MARK.length ? '' : text.slice(0, wholeAt(text, limit - CUT_MARK.length)) + CUT_MARK
}

/** At most `limit` long: the beginning and the end. */
export function clipMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text
  if (limit < CUT_MARK.length) return ''
  const shown = limit - CUT_MARK.length
  const tail = Math.floor(shown / 2)
  const tailAt = text.length - tail
  return (
    text.slice(0, wholeAt(text, shown - tail)) + CUT_MARK + text.slice(isInPair(text, tailAt) ? tailAt + 1 : tailAt)
  )
}

/** The end of it, without half a character in front. */
export function takeEnd(text: string, length: number): string {
  if (text.length <= length) return text
  const at = text.length - length
  return text.slice(isInPair(text, at) ? at + 1 : at)
}

/** Every run of white space as one space, and none at the ends. */
export function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** A string as it is, anything else as JSON. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? ''
  } catch (error) {
    // Nested so deeply that it can be parsed and not be written.
    if (error instanceof RangeError) return CUT_MARK
    throw error
  }
}

function wholeAt(text: string, at: number): number {
  return isInPair(text, at) ? at - 1 : at
}

function isInPair(text: string, at: number): boolean {
  const code = text.codePointAt(at - 1)
  return at > 0 && code !== undefined && code > 0xffff
}
