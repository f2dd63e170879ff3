// Which tools may be used: what `-t`, `-T` and `-u` write. They only ever change whether one is on; whether they may is the tool's own policy.
import type { Json } from '../../stores/values.ts'
import { asObject, asText } from '../../stores/values.ts'
import { normalEnable } from '../config/normal.ts'
import type { Delta } from './delta.ts'
import { WrongFlag } from './delta.ts'

const TOOLS = ['conversation', 'tools']
const TOOL_CHOICE = ['assistant', 'tool_choice']
/** The settings of all tools that have none of their own. */
const DEFAULTS = '*'
/** There without being configured. */
const BUILT_IN: Json = { describe_tools: { enable: { state: true, allow_toggle: 'never' } } }

/** Without a name it is for all that allow it. */
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
    delta.notes.push(
      `Whether there is a tool ${name} could not be checked: no configuration that can be read here names any tool.`,
    )
    setTool(delta, name, isOn)
    return
  }
  const { state, policy } = enableOf(delta, withBuiltIn(tools, name), name)
  if (state === isOn) return
  if (policy === 'never') throw new WrongFlag(`${name} is a tool that cannot be switched ${isOn ? 'on' : 'off'}`)
  setTool(delta, name, isOn)
}

/** Throws where there is no such tool. */
function withBuiltIn(tools: Json, name: string): Json {
  const all = { ...BUILT_IN, ...tools }
  if (!Object.hasOwn(all, name)) throw new WrongFlag(`There is no tool ${name}. There ${describeTools(tools)}`)
  return all
}

function setTool(delta: Delta, name: string, isOn: boolean): void {
  delta.set([...TOOLS, name, 'enable', 'state'], isOn)
}

/** Its own setting, else that of all tools, else on and free to be switched. */
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
    // JP wants it switched on, or does that itself, depending on its version; that the call went through says that it was on.
    switchNamed(delta, knownTools(delta), name, true)
    delta.set(TOOL_CHOICE, name)
  }
}

/** Undefined where no configuration says what there is. */
function knownTools(delta: Delta): Json | undefined {
  const all = asObject(delta.get(TOOLS))
  if (all === undefined) return undefined
  const { [DEFAULTS]: _, ...tools } = all
  // One that was made up has no tools in it, which says nothing about those that there are.
  return Object.keys(tools).length === 0 ? undefined : tools
}

function describeTools(tools: Json): string {
  const names = Object.keys(tools)
  return `${names.length === 1 ? 'is' : 'are'}: ${names.join(', ')}`
}
