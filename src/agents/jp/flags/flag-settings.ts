// The settings that single flags change: -c, -m, -p, -r, -t, -T, -u and -a.

import { isAbsolute, relative, resolve, sep } from 'node:path'
import { exists } from '../../../disk/files/read.ts'
import type { Json } from '../../stores/values.ts'
import { asObject, asText } from '../../stores/values.ts'
import { reasoningOf } from '../config/fields.ts'
import { normalEnable, resolveModelId } from '../config/normal.ts'
import { PROVIDERS } from '../schema/formats.ts'
import type { Delta } from './delta.ts'
import { WrongFlag } from './delta.ts'

export interface Assignment {
  /** The path of the setting, with dots between the names. */
  key: string
  value: { type: 'text'; text: string } | { type: 'json'; json: unknown; text: string }
  /** `+=` appends to the current value. */
  isMerge: boolean
}

type CfgArgument =
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

/** Parses `k=v`, `k:=json`, `k+=v` and `k:+=json`. The two marks may be in either order. */
function parseAssignment(argument: string): Exclude<CfgArgument, { type: 'file' }> {
  const border = argument.indexOf('=')
  if (border === -1) return { type: 'wrong', text: `${argument} is not of the form key=value` }
  const [, key = '', marks = ''] = /^(.*?)(:\+|\+:|:|\+)?$/s.exec(argument.slice(0, border)) ?? []
  if (key === '') return { type: 'wrong', text: `${argument} has no key before the =` }
  const text = argument.slice(border + 1)
  const isMerge = marks.includes('+')
  if (!marks.includes(':')) return { type: 'assignment', assignment: { key, value: { type: 'text', text }, isMerge } }
  const json = parseJson(text)
  if (json.type === 'wrong') return { type: 'wrong', text: `${key}: ${json.text}` }
  return { type: 'assignment', assignment: { key, value: { type: 'json', json: json.value, text }, isMerge } }
}

function parseJson(text: string): { type: 'value'; value: unknown } | { type: 'wrong'; text: string } {
  try {
    return { type: 'value', value: JSON.parse(text) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { type: 'wrong', text: `${text} is not JSON (${error.message})` }
  }
}

export const MODEL = ['assistant', 'model', 'id']
const PARAMETERS = ['assistant', 'model', 'parameters']
const ALIASES = ['providers', 'llm', 'aliases']

/** JP stores resolved models only, because it stops at an alias that it cannot resolve later. */
export function resolveModels(delta: Delta): void {
  const aliases = asObject(delta.get(ALIASES)) ?? {}
  delta.resolveModels(id => resolveModelId(id, aliases) ?? wrongModel(id, aliases))
}

function wrongModel(name: string, aliases: Json): never {
  const known = Object.keys(aliases)
  throw new WrongFlag(
    `${name} is neither provider/name nor an alias in the conversation's configuration${known.length === 0 ? '' : ` (${known.join(', ')})`}. Write it in full, such as -m anthropic/NAME. Providers: ${PROVIDERS.join(', ')}`,
  )
}

export function setReasoning(delta: Delta, text: string): void {
  delta.set([...PARAMETERS, 'reasoning'], reasoningOf(text))
}

export function setParameter(delta: Delta, argument: string): void {
  const parsed = parseAssignment(argument)
  if (parsed.type !== 'assignment') throw new WrongFlag(parsed.type === 'wrong' ? parsed.text : argument)
  const { key, value, isMerge } = parsed.assignment
  delta.assign({ key: [...PARAMETERS, key].join('.'), value, isMerge })
}

const TOOLS = ['conversation', 'tools']
const TOOL_CHOICE = ['assistant', 'tool_choice']
/** The key of the settings for all tools without settings of their own. */
const DEFAULTS = '*'
/** Tools that exist without a configuration. */
const BUILT_IN: Json = { describe_tools: { enable: { state: true, allow_toggle: 'never' } } }

/** Without a name, switches all tools that allow it. The policy of a tool is never changed. */
export function switchTool(delta: Delta, name: string | undefined, isOn: boolean): void {
  const tools = knownTools(delta)
  if (name !== undefined) switchNamed(delta, tools, name, isOn)
  else if (tools === undefined)
    throw new WrongFlag('Which tools there are is not known here. Name each of them: -t NAME')
  else
    for (const tool of Object.keys(tools)) {
      const { state, policy } = enableOf(delta, tools, tool)
      if (state !== isOn && policy === 'any') setTool(delta, tool, isOn)
    }
}

function switchNamed(delta: Delta, tools: Json | undefined, name: string, isOn: boolean): void {
  if (tools === undefined) {
    delta.notes.push(unchecked(name))
    setTool(delta, name, isOn)
    return
  }
  const { state, policy } = enableOf(delta, withBuiltIn(tools, name), name)
  if (state === isOn) return
  if (policy === 'never') throw new WrongFlag(`${name} is a tool that cannot be switched ${isOn ? 'on' : 'off'}`)
  setTool(delta, name, isOn)
}

function unchecked(name: string): string {
  return `Whether there is a tool ${name} could not be checked: no configuration that can be read here names any tool.`
}

/** Throws if the tool does not exist. */
function withBuiltIn(tools: Json, name: string): Json {
  const all = { ...BUILT_IN, ...tools }
  if (!Object.hasOwn(all, name)) throw new WrongFlag(`There is no tool ${name}. There ${describeTools(tools)}`)
  return all
}

function setTool(delta: Delta, name: string, isOn: boolean): void {
  delta.set([...TOOLS, name, 'enable', 'state'], isOn)
}

/** The setting of the tool, then that of all tools, then enabled with any policy. */
function enableOf(delta: Delta, tools: Json, name: string): { state: boolean; policy: string } {
  const [own, all] = [tools[name], delta.get([...TOOLS, DEFAULTS])].map(tool =>
    asObject(normalEnable(asObject(tool)?.['enable'])),
  )
  const state = own?.['state'] ?? all?.['state']
  return { state: state !== false, policy: asText(own?.['allow_toggle']) ?? asText(all?.['allow_toggle']) ?? 'any' }
}

export function chooseTool(delta: Delta, name: string | undefined): void {
  if (name === undefined || name === 'true') delta.set(TOOL_CHOICE, 'required')
  else if (name === 'false') delta.set(TOOL_CHOICE, 'none')
  else {
    const tools = knownTools(delta)
    if (tools === undefined) delta.notes.push(unchecked(name))
    else if (!enableOf(delta, withBuiltIn(tools, name), name).state)
      throw new WrongFlag(`${name} is a tool that is switched off. Switch it on as well: -t ${name}`)
    delta.set(TOOL_CHOICE, name)
  }
}

/** Returns undefined if no configuration lists the tools. */
function knownTools(delta: Delta): Json | undefined {
  const all = asObject(delta.get(TOOLS))
  if (all === undefined) return undefined
  const { [DEFAULTS]: _, ...tools } = all
  // A rebuilt config has no tools. That does not mean that none exist.
  return Object.keys(tools).length === 0 ? undefined : tools
}

function describeTools(tools: Json): string {
  const names = Object.keys(tools)
  return `${names.length === 1 ? 'is' : 'are'}: ${names.join(', ')}`
}

/** The tools that a mount without a name is for: the local ones that are switched on. */
export function mountedTools(delta: Delta, name: string | undefined): string[] {
  const tools = knownTools(delta)
  if (tools === undefined) throw new WrongFlag('Which tools there are is not known here. Leave --mount out.')
  if (name !== undefined) {
    if (!Object.hasOwn(tools, name)) throw new WrongFlag(`There is no tool ${name}. There ${describeTools(tools)}`)
    return [name]
  }
  return Object.entries(tools).flatMap(([tool, config]) => {
    const source = asText(asObject(config)?.['source']) ?? ''
    return /^local(\.|$)/.test(source) && enableOf(delta, tools, tool).state ? [tool] : []
  })
}

const ATTACHMENTS = ['conversation', 'attachments']
/** A single letter before a colon is a drive. */
const URL = /^[a-z][a-z0-9+.-]+:/i

export function attach(delta: Delta, value: string, workspace: string | undefined): void {
  delta.append(ATTACHMENTS, [URL.test(value) ? value : fileUrl(value, workspace)])
}

function fileUrl(value: string, workspace: string | undefined): string {
  const isExcluded = value.startsWith('!')
  const path = isExcluded ? value.slice(1) : value
  if (workspace === undefined) throw new WrongFlag(`${path} is in no workspace that is known here. Leave this -a out.`)
  const full = resolve(workspace, path)
  const inside = relative(workspace, full)
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside))
    throw new WrongFlag(`${path} is not in the workspace ${workspace}. Leave this -a out.`)
  if (!exists(full))
    throw new WrongFlag(`There is no ${path} in ${workspace}. Leave this -a out, or name where it is now.`)
  return `file:${inside.split(sep).join('/')}${isExcluded ? '?exclude=true' : ''}`
}
