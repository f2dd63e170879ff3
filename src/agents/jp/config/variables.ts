// Settings in the environment: JP_CFG_ and the name of one with underscores. They count more than all files.
import type { Environment } from '../../environment.ts'
import type { Json } from '../../stores/values.ts'
import { asObject } from '../../stores/values.ts'
import type { ConfigTree } from './extends.ts'
import { FIELD_NAMES, TOOL_FIELDS } from './fields.ts'
import { mergeConfig } from './merge.ts'
import { normalConfig } from './normal.ts'
import { ConfigProblem, problemText } from './problem.ts'
import { typedValue } from './typed-value.ts'

const PREFIX = 'JP_CFG_'

export function readVariables({ variables }: Environment): ConfigTree {
  const tree: ConfigTree = { config: {}, notes: [] }
  for (const name of Object.keys(variables).toSorted()) {
    const value = variables[name]
    if (!name.startsWith(PREFIX) || value === undefined) continue
    try {
      mergeConfig(tree.config, normalConfig(settingOf(name, value)))
    } catch (error) {
      tree.notes.push(`The variable ${name} is not taken: ${problemText(error)}`)
    }
  }
  return tree
}

function settingOf(name: string, text: string): Json {
  const path = pathOf(name.slice(PREFIX.length).toLowerCase())
  if (path === undefined) throw new ConfigProblem('it names no setting that is known here')
  const { isJson, rest } = marksOf(text)
  const value = isJson ? parseJson(rest) : typedValue(path, rest, undefined)
  const [last = '', ...holders] = path.toReversed()
  return holders.reduce<Json>((inner, key) => ({ [key]: inner }), { [last]: value })
}

/** An underscore can be a border between names or a part of one: only the settings that there are tell. */
function pathOf(name: string): string[] | undefined {
  const field = FIELD_NAMES.find(candidate => candidate.replaceAll('.', '_') === name)
  if (field !== undefined) return field.split('.')
  const [, tool, setting] = /^conversation_tools_([^_]+)_(.+)$/.exec(name) ?? []
  if (tool !== undefined && setting !== undefined && TOOL_FIELDS.includes(setting))
    return ['conversation', 'tools', tool, setting]
  const [, alias] = /^providers_llm_aliases_([^_]+)$/.exec(name) ?? []
  if (alias !== undefined) return ['providers', 'llm', 'aliases', alias]
  const [, template] = /^template_values_(.+)$/.exec(name) ?? []
  if (template !== undefined) return ['template', 'values', ...template.split('_')]
  const [, parameter] = /^assistant_model_parameters_(.+)$/.exec(name) ?? []
  return parameter === undefined ? undefined : ['assistant', 'model', 'parameters', parameter]
}

/** `:` before JSON, `+` before what is added; lists are added to in any case. A backslash before them takes their meaning away. */
function marksOf(text: string): { isJson: boolean; rest: string } {
  const [marks = ''] = /^(:\+?|\+:?)/.exec(text) ?? []
  const rest = text.slice(marks.length)
  return { isJson: marks.includes(':'), rest: /^\\[:+]/.test(rest) ? rest.slice(1) : rest }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new ConfigProblem(`${text} is not JSON (${error.message})`)
  }
}

/** What is there is enough to say something. */
export function isEmpty(config: Json): boolean {
  return Object.values(config).every(value => {
    const inner = asObject(value)
    return inner !== undefined && isEmpty(inner)
  })
}
