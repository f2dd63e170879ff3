// Converts the flags that a user remembers into the overrides that JP would have stored for them.
import { splitWords } from '../../../bytes/shell-words.ts'
import type { Environment } from '../../environment.ts'
import type { FlagsResult } from '../../sanitizer.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject } from '../../stores/values.ts'
import { problemText } from '../config/files.ts'
import { bareList } from '../config/merge.ts'
import { readNamedConfig, readWorkspaceConfig } from '../config/workspace-config.ts'
import type { Workspace } from '../roots.ts'
import { checkValue } from '../schema/check.ts'
import { CONFIG_SHAPE } from '../schema/config.ts'
import { checkBase, checkWithDeltas } from '../schema/resolve.ts'
import { Delta, WrongFlag } from './delta.ts'
import {
  attach,
  chooseTool,
  MODEL,
  parseCfg,
  resolveModels,
  setParameter,
  setReasoning,
  switchTool,
} from './flag-settings.ts'
import { mount } from './mount.ts'
import type { FlagName, Given } from './query-flags.ts'
import { readFlags } from './query-flags.ts'

interface FlagsContext {
  environment: Environment
  workspace: Workspace
  /**
   * The parsed base_config.json of the conversation, with its tools and aliases. Absent if it cannot be read.
   */
  base?: unknown
}

export function parseFlags(line: string, context: FlagsContext): FlagsResult {
  const split = splitWords(line)
  if (split.type === 'unbalanced') return wrong(split.text)
  const words = withoutCommand(split.words)
  if (words === undefined) return wrong(`Only the flags of jp query are meant, and not those of ${line.trim()}`)
  const flags = readFlags(words)
  if (flags.type === 'wrong') return wrong(flags.text)
  if (flags.given.length === 0)
    return wrong('There is no flag in this. Flags begin with -, such as -c NAME or -m MODEL')
  try {
    const { changes, notes } = applyFlags(flags.given, context)
    return { type: 'delta', argv: words, delta: changes, notes: [...notes, ...remarks(flags, changes)] }
  } catch (error) {
    return wrong(error instanceof WrongFlag ? error.message : problemText(error))
  }
}

/** What a text in one of these lists stands for. */
const ITEM_FIELDS = { instructions: 'title', system_prompt_sections: 'content' } as const

function withItems(changes: Json): Json {
  const assistant = asObject(changes['assistant'])
  if (assistant === undefined) return changes
  const items = Object.entries(ITEM_FIELDS).flatMap(([name, field]) => {
    const stored = assistant[name]
    if (stored === undefined) return []
    const list = asArray(stored) ?? asArray(asObject(stored)?.['value']) ?? []
    const value = list.map(item => (typeof item === 'string' ? { [field]: item } : item))
    return [[name, Array.isArray(stored) ? value : { ...asObject(stored), value }]]
  })
  return { ...changes, assistant: { ...assistant, ...Object.fromEntries(items) } }
}

function applyFlags(given: readonly Given[], context: FlagsContext): { changes: Json; notes: string[] } {
  const files = readWorkspaceConfig(context)
  const delta = new Delta(context.base, files.config)
  // The files are only used to look up names. A name may be missing because a file is broken, so the problems
  // are reported.
  delta.notes.push(...files.notes)
  const paths = files.config?.['config_load_paths'] ?? delta.get(['config_load_paths'])
  const loadPaths = bareList(paths, ['config_load_paths']) ?? []
  // JP applies -c first, wherever it is on the command line.
  for (const { flag, value } of given) if (flag === 'cfg') applyCfg(delta, value ?? '', context, loadPaths)
  for (const { flag, value } of given) APPLY[flag](delta, value, context)
  resolveModels(delta)
  const changes = withItems(delta.changes())
  // JP takes changes with one wrong value for none at all.
  const [wrong] = checkValue(CONFIG_SHAPE, changes)
  if (wrong !== undefined) throw new WrongFlag(`JP would ignore all of this: ${wrong.path} ${wrong.text}.`)
  const [missing] = checkBase(context.base).length === 0 ? checkWithDeltas(context.base, [changes]) : []
  if (missing !== undefined) throw new WrongFlag(`JP could not load this: ${missing.path} ${missing.text}.`)
  return { changes, notes: delta.notes }
}

/** Removes the command that users paste with the flags. Returns undefined for another command. */
function withoutCommand(words: readonly string[]): string[] | undefined {
  const [first = '', ...rest] = words
  const isCommand = /^(.*\/)?jp(\.exe)?$/.test(first)
  const flags = isCommand ? rest : [...words]
  // A query may start with any word. Only a word after the program is certain to be a command.
  const command = flags.findIndex(word => !word.startsWith('-'))
  const named = flags[command]
  if (named === 'query' || named === 'q') return flags.toSpliced(command, 1)
  return isCommand && command === 0 ? undefined : flags
}

function applyCfg(delta: Delta, value: string, context: FlagsContext, loadPaths: readonly unknown[]): void {
  const argument = parseCfg(value)
  switch (argument.type) {
    case 'wrong':
      throw new WrongFlag(argument.text)
    case 'object':
      delta.mergeTyped(argument.object)
      break
    case 'assignment':
      delta.assign(argument.assignment)
      break
    case 'file': {
      const { layers, notes } = readNamedConfig(argument.name, context, loadPaths)
      for (const layer of layers) delta.merge(layer)
      delta.notes.push(...notes)
    }
  }
}

const APPLY: Record<FlagName, (delta: Delta, value: string | undefined, context: FlagsContext) => void> = {
  model: (delta, value) => delta.set(MODEL, value ?? ''),
  param: (delta, value) => setParameter(delta, value ?? ''),
  reasoning: (delta, value) => setReasoning(delta, value ?? ''),
  'no-reasoning': delta => setReasoning(delta, 'off'),
  tool: (delta, value) => switchTool(delta, value, true),
  'no-tool': (delta, value) => switchTool(delta, value, false),
  'tool-use': (delta, value) => chooseTool(delta, value),
  'no-tool-use': delta => chooseTool(delta, 'false'),
  attachment: (delta, value, { workspace }) => attach(delta, value ?? '', workspace.folder),
  'hide-reasoning': delta => delta.set(['style', 'reasoning', 'display'], 'hidden'),
  'hide-tool-calls': delta => delta.set(['style', 'tool_call', 'show'], false),
  cfg: () => {},
  mount: (delta, value, { workspace }) => mount(delta, value ?? '', workspace.folder),
  other: () => {},
}

function remarks({ words }: { words: readonly string[] }, changes: Json): string[] {
  const notes: string[] = []
  if (words.length > 0) notes.push(`"${words.join(' ')}" is what was asked, and changes no setting.`)
  if (Object.keys(changes).length === 0) notes.push('None of this changes a setting.')
  return notes
}

function wrong(text: string): FlagsResult {
  return { type: 'wrong', text }
}
