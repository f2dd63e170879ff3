// How two layers of a setting are merged, and how a text is parsed for it.
import { asObject } from '../../stores/values.ts'
import { type Kind, kindOfShape, shapeAt } from '../schema/settings.ts'

/** A configuration file, or a setting in one, that cannot be used. */
export class ConfigProblem extends Error {}

/** Returns undefined for an unknown setting, a section, and a value of any kind. */
export function kindOf(path: readonly string[]): Kind | undefined {
  const shape = shapeAt(path)
  return shape && kindOfShape(shape)
}

type Merging =
  /** A text that is replaced, or appended to if the new value says so. */
  | 'text'
  /** A list that is appended to, unless the new value says otherwise. */
  | 'list'
  /** Objects are merged name by name. Every other value is replaced. */
  | 'plain'

/** JP replaces its other lists: the last file or change that names one counts. */
const LISTS = ['instructions', 'system_prompt_sections', 'beta_headers']
const LISTS_OF = ['conversation.attachments', 'compaction.rules', 'editor.envs', 'access.fs', 'access.env']

/** Values that belong to a tool, a template or a plugin and are not settings. */
export function isOpaque(path: readonly string[]): boolean {
  return (
    path[0] === 'template' || path[0] === 'plugins' || (isTool(path) && /^(options|parameters)$/.test(path[3] ?? ''))
  )
}

export function mergingOf(path: readonly string[]): Merging {
  if (isOpaque(path)) return 'plain'
  const [holder, name = ''] = path.slice(-2)
  if (name === 'system_prompt') return 'text'
  return LISTS.includes(path.at(-1) ?? '') || LISTS_OF.includes(`${holder}.${name}`) ? 'list' : 'plain'
}

function isTool(path: readonly string[]): boolean {
  return path[0] === 'conversation' && path[1] === 'tools' && path.length > 2
}

const EFFORTS = ['none', 'max', 'xhigh', 'high', 'medium', 'low', 'xlow']

/**
 * Parses a text by the type of the setting. `known` is its current value and gives the type of an unknown
 * setting.
 */
export function typedValue(path: readonly string[], text: string, known: unknown): unknown {
  const name = path.join('.')
  if (name.endsWith('model.parameters.reasoning')) return reasoningOf(text)
  if (name === 'style.reasoning.display' && /^\d+$/.test(text)) return { truncate: { characters: Number(text) } }
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
      // JP keeps the text where any value will do.
      return shapeAt(path)?.type === 'any' || /(^|\.)model\.parameters\./.test(name) ? text : guessed(text)
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

function itemsOf(text: string): string[] {
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
