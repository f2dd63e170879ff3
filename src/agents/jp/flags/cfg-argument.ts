// What stands behind `-c`: the name of a file, an object, or one assignment.
import type { Json } from '../../stores/values.ts'
import { asObject } from '../../stores/values.ts'

export interface Assignment {
  /** With dots between. */
  key: string
  value: { type: 'text'; text: string } | { type: 'json'; json: unknown }
  /** `+=`: added to what is there. */
  isMerge: boolean
}

export type CfgArgument =
  | { type: 'file'; name: string }
  | { type: 'object'; object: Json }
  | { type: 'assignment'; assignment: Assignment }
  | { type: 'wrong'; text: string }

export function parseCfg(argument: string): CfgArgument {
  if (argument.startsWith('@')) return { type: 'file', name: argument.slice(1).trim() }
  if (argument.startsWith('{')) return parseObject(argument)
  return argument.includes('=') ? parseAssignment(argument) : { type: 'file', name: argument }
}

function parseObject(text: string): CfgArgument {
  const json = parseJson(text)
  if (json.type === 'wrong') return json
  const object = asObject(json.value)
  return object === undefined ? { type: 'wrong', text: `${text} is not an object` } : { type: 'object', object }
}

/** `k=v`, `k:=json`, `k+=v`, `k:+=json`, the two marks in either order. */
export function parseAssignment(argument: string): Exclude<CfgArgument, { type: 'file' }> {
  const border = argument.indexOf('=')
  if (border === -1) return { type: 'wrong', text: `${argument} is not of the form key=value` }
  const [, key = '', marks = ''] = /^(.*?)(:\+|\+:|:|\+)?$/s.exec(argument.slice(0, border)) ?? []
  if (key === '') return { type: 'wrong', text: `${argument} names no key before the =` }
  const text = argument.slice(border + 1)
  const isMerge = marks.includes('+')
  if (!marks.includes(':')) return { type: 'assignment', assignment: { key, value: { type: 'text', text }, isMerge } }
  const json = parseJson(text)
  if (json.type === 'wrong') return { type: 'wrong', text: `${key}: ${json.text}` }
  return { type: 'assignment', assignment: { key, value: { type: 'json', json: json.value }, isMerge } }
}

function parseJson(text: string): { type: 'value'; value: unknown } | { type: 'wrong'; text: string } {
  try {
    return { type: 'value', value: JSON.parse(text) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { type: 'wrong', text: `${text} is not JSON (${error.message})` }
  }
}
