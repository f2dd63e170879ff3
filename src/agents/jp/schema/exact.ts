// Parses JSON without losing what JP distinguishes and
// JavaScript does not: `5` and `5.0`, and large integers.

/** A number that JP reads as a floating point one. */
export class JsonFloat {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

export function asFloat(value: unknown): JsonFloat | undefined {
  return value instanceof JsonFloat ? value : undefined
}

/** Only a text with such a part needs the slower parser. */
const AMBIGUOUS = /\d[.eE]|-0|\d{16}/
const FRACTION = /[.eE]|^-0$/
const MAX = 2n ** 64n - 1n
const MIN = -(2n ** 63n)

/** Undefined means "not JSON". Numbers are numbers, bigints or `JsonFloat`s. */
export function parseExact(bytes: Buffer): unknown {
  const text = bytes.toString('utf8')
  try {
    return AMBIGUOUS.test(text) ? JSON.parse(text, revive) : JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function revive(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined) return value
  if (FRACTION.test(source)) return new JsonFloat(source)
  if (Number.isSafeInteger(value)) return value
  const exact = BigInt(source)
  return exact > MAX || exact < MIN ? new JsonFloat(source) : exact
}

/** Deeper values are cut off. */
const MAX_PLAIN_DEPTH = 100

/** With numbers of JavaScript only, which other code can write as JSON. */
export function plainNumbers(value: unknown, depth = 0): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof JsonFloat) return Number(value.source)
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_PLAIN_DEPTH) return '(nested too deeply to be shown)'
  if (Array.isArray(value)) return value.map(item => plainNumbers(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plainNumbers(item, depth + 1)]))
}
