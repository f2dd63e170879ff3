// Shortens text without splitting a character, and turns any value into text.

export const CUT_MARK = '[…]'

/** Keeps the beginning, at most `limit` characters. */
export function clipEnd(text: string, limit: number): string {
  if (text.length <= limit) return text
  return limit <= CUT_MARK.length ? '' : text.slice(0, wholeAt(text, limit - CUT_MARK.length)) + CUT_MARK
}

/** Keeps the beginning and the end, at most `limit` characters. */
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

/** The last `length` characters, without half a character at the start. */
export function takeEnd(text: string, length: number): string {
  if (text.length <= length) return text
  const at = text.length - length
  return text.slice(isInPair(text, at) ? at + 1 : at)
}

/** Replaces every run of white space by one space, and trims. */
export function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Strings stay unchanged. Other values become JSON. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? ''
  } catch (error) {
    // Too deeply nested for stringify, although it could be parsed.
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
