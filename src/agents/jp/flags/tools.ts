// Which tools may be used: what `-t`, `-T` and `-u` write.
import type { Json } from '../../stores/values.ts'
import { asObject, asText } from '../../stores/values.ts'
import type { Delta } from './delta.ts'
import { WrongFlag } from './delta.ts'

const TOOLS = ['conversation', 'tools']
const TOOL_CHOICE = ['assistant', 'tool_choice']
/** The settings of all tools that have none of their own. */
const DEFAULTS = '*'

/** Without a name it is for all that allow it. */
export function switchTool(delta: Delta, name: string | undefined, isOn: boolean): void {
  const tools = knownTools(delta)
  if (name !== undefined) switchNamed(delta, tools, name, isOn)
  else if (tools === undefined)
    throw new WrongFlag('Which tools there are is not known here. Name each of them: -t NAME')
  else for (const [tool, config] of Object.entries(tools)) if (mayBeSwitched(config, isOn)) setTool(delta, tool, isOn)
}

function switchNamed(delta: Delta, tools: Json | undefined, name: string, isOn: boolean): void {
  if (tools === undefined)
    delta.notes.push(
      `Whether there is a tool ${name} could not be checked: no configuration of this conversation can be read.`,
    )
  else if (!Object.hasOwn(tools, name)) throw new WrongFlag(`There is no tool ${name}. There ${describeTools(tools)}`)
  const config = tools?.[name]
  if (!isOn && enableOf(config).state === 'always') throw new WrongFlag(`${name} is a tool that cannot be switched off`)
  if (enableOf(config).allowToggle === 'never') throw new WrongFlag(`${name} does not allow to be switched by a flag`)
  setTool(delta, name, isOn)
}

function setTool(delta: Delta, name: string, isOn: boolean): void {
  delta.set([...TOOLS, name, 'enable'], isOn ? 'on' : 'off')
}

function mayBeSwitched(config: unknown, isOn: boolean): boolean {
  const { state, allowToggle } = enableOf(config)
  if (allowToggle !== undefined && allowToggle !== 'any') return false
  return isOn ? state !== 'explicit' : state !== 'always'
}

function enableOf(config: unknown): { state: string | undefined; allowToggle: string | undefined } {
  const enable = asObject(config)?.['enable']
  const parts = asObject(enable)
  return { state: asText(parts?.['state'] ?? enable), allowToggle: asText(parts?.['allow_toggle']) }
}

export function chooseTool(delta: Delta, name: string | undefined): void {
  delta.set(TOOL_CHOICE, choiceOf(delta, name))
}

function choiceOf(delta: Delta, name: string | undefined): string {
  if (name === undefined || name === 'true') return 'required'
  if (name === 'false') return 'none'
  const tools = knownTools(delta)
  if (tools !== undefined && !Object.hasOwn(tools, name))
    throw new WrongFlag(`There is no tool ${name}. There ${describeTools(tools)}`)
  return name
}

/** Undefined where no configuration says what there is. */
function knownTools(delta: Delta): Json | undefined {
  const all = asObject(delta.base(TOOLS))
  if (all === undefined) return undefined
  const { [DEFAULTS]: _, ...tools } = all
  // One that was made up has no tools in it, which says nothing about those that there are.
  return Object.keys(tools).length === 0 ? undefined : tools
}

function describeTools(tools: Json): string {
  const names = Object.keys(tools)
  return `${names.length === 1 ? 'is' : 'are'}: ${names.join(', ')}`
}
