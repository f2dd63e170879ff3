// The texts with a format of their own: durations, colors, times, names of models and tools.
import { isTime } from '../times.ts'
import type { Shape } from './shape.ts'
import { text } from './shape.ts'

export const PROVIDERS = [
  ...['anthropic', 'cerebras', 'deepseek', 'google', 'llamacpp', 'ollama', 'openai', 'openrouter', 'xai'],
]
const MODEL_NAME = /^[A-Za-z0-9_.:/~-]+$/

export const TIME = text('a time such as "2026-05-29 19:42:36.0"', isTime)
export const NAME = text('the name of a model', MODEL_NAME)
export const MODEL = text('provider/name of a model or an alias', value => isModel(value) || /^[^/]+$/.test(value))
export const DURATION = text('a duration such as "3ms"', isDuration)
export const COLOR = text('a color such as "#504945"', value => isColor(value))
export const CACHE = text(
  'true, false, off, short, long or a duration',
  value => ['true', 'false', 'off', 'short', 'long'].includes(value) || isDuration(value),
)
export const BOUND = text('a number of turns, a duration or last-compaction', isBound)
export const LINES = text('off, full or a number of lines', value => /^(off|full)$/.test(value) || isUnsigned(value))
export const TOOL_SOURCE = text(
  'builtin, local or mcp.SERVER',
  value => /^(builtin|local)(\.|$)/s.test(value) || /^mcp\.[^.]/s.test(value),
)
export const URL_TEXT: Shape = text('a URL', value => URL.canParse(value))

export function isModel(value: string): boolean {
  const border = value.indexOf('/')
  if (border === -1) return false
  return PROVIDERS.includes(value.slice(0, border).trim()) && MODEL_NAME.test(value.slice(border + 1).trim())
}

/** As Rust parses an integer: a plus sign and leading zeros are accepted. */
function isUnsigned(value: string, max = 2n ** 64n - 1n): boolean {
  return /^\+?\d+$/.test(value) && BigInt(value.replace('+', '')) <= max
}

function isColor(value: string): boolean {
  if (!value.startsWith('#')) return isUnsigned(value, 255n)
  // Each pair of digits is parsed on its own, and a plus sign counts as one of them.
  return /^#((\+|[0-9a-f])[0-9a-f]){3}$/i.test(value)
}

function isBound(value: string): boolean {
  if (/^last(-compaction)?$/i.test(value)) return true
  if (value.startsWith('@')) return isUnsigned(value.slice(1)) && BigInt(value.slice(1).replace('+', '')) > 0n
  if (value.startsWith('-')) return isUnsigned(value.slice(1))
  return isUnsigned(value) || isDuration(value)
}

/** The length of each unit in seconds or, below a second, in nanoseconds. */
const UNITS: [names: string, size: bigint, isSmall?: true][] = [
  ['nanos nsec ns', 1n, true],
  ['usec us µs', 1000n, true],
  ['millis msec ms', 1_000_000n, true],
  ['seconds second secs sec s', 1n],
  ['minutes minute min mins m', 60n],
  ['hours hour hr hrs h', 3600n],
  ['days day d', 86_400n],
  ['weeks week wk wks w', 604_800n],
  ['months month M', 2_630_016n],
  ['years year yr yrs y', 31_557_600n],
]
const MAX = 2n ** 64n - 1n
const PART = /\s*(\d[\d\s]*)(?:\.([\d\s]*\d[\d\s]*))?([A-Za-zµ]+)\s*/y

/** Numbers with units, such as `1h 30min`. Every part and the sum must fit into 64 bits. */
function isDuration(value: string): boolean {
  if (value === '0') return true
  let total = 0n
  let at = 0
  while (at < value.length) {
    PART.lastIndex = at
    const found = PART.exec(value)
    if (found === null) return false
    const seconds = secondsOf(found)
    if (seconds === undefined) return false
    total += seconds
    at = PART.lastIndex
  }
  return value !== '' && total <= MAX
}

function secondsOf([, digits = '', fraction, unit = '']: RegExpExecArray): bigint | undefined {
  const known = UNITS.find(([names]) => names.split(' ').includes(unit))
  const amount = BigInt(digits.replaceAll(/\s/g, ''))
  if (known === undefined || amount * known[1] > MAX || amount > MAX) return undefined
  if (fraction !== undefined && !isExact(fraction.replaceAll(/\s/g, ''), known)) return undefined
  return known[2] ? (amount * known[1]) / 1_000_000_000n : amount * known[1]
}

/** A fraction must be a whole number of nanoseconds, or of seconds from an hour on. */
function isExact(fraction: string, [, size, isSmall]: (typeof UNITS)[number]): boolean {
  if (isSmall && size === 1n) return false
  const scale = isSmall || size >= 3600n ? size : size * 1_000_000_000n
  const product = BigInt(fraction) * scale
  return fraction.length < 20 && product <= MAX && product % 10n ** BigInt(fraction.length) === 0n
}
