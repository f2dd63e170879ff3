// What a text becomes in a setting: JP parses it by the type of the setting.
import { asObject } from '../../stores/values.ts'
import { type Kind, kindOf } from './fields.ts'
import { ConfigProblem } from './problem.ts'

const EFFORTS = ['none', 'max', 'xhigh', 'high', 'medium', 'low', 'xlow']

/** `known` is what the setting holds elsewhere: it tells the type of one that is not known here. */
export function typedValue(path: readonly string[], text: string, known: unknown): unknown {
  const name = path.join('.')
  if (name.endsWith('model.parameters.reasoning')) return reasoningOf(text)
  switch (kindOf(path) ?? kindOfValue(known)) {
    case 'truth':
      if (text !== 'true' && text !== 'false')
        throw new ConfigProblem(`${name} is either true or false, and not ${text}`)
      return text === 'true'
    case 'number': {
      const value = guessed(text)
      if (typeof value !== 'number') throw new ConfigProblem(`${name} is a number, and ${text} is not`)
      return value
    }
    case 'list':
      return itemsOf(text)
    case 'text':
      return text
    case undefined:
      // JP takes parameters that it does not know as they are.
      return /(^|\.)model\.parameters\./.test(name) ? text : guessed(text)
  }
}

function kindOfValue(value: unknown): Kind | undefined {
  if (typeof value === 'boolean') return 'truth'
  if (typeof value === 'number') return 'number'
  if (Array.isArray(value) || Array.isArray(asObject(value)?.['value'])) return 'list'
  return value === undefined ? undefined : 'text'
}

export function guessed(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) && Number.isFinite(Number(text)) ? Number(text) : text
}

export function itemsOf(text: string): string[] {
  return text
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '')
}

export function reasoningOf(text: string): unknown {
  if (text === 'off' || text === 'auto') return text
  if (EFFORTS.includes(text)) return { effort: text, exclude: false }
  const tokens = guessed(text)
  if (typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= 0)
    return { effort: { absolute: tokens }, exclude: false }
  throw new ConfigProblem(`Reasoning is off, auto, ${EFFORTS.join(', ')}, or a number of tokens, and not ${text}`)
}
