// The names of all settings of JP. JP refuses a setting that it does not know, so a typing error must not be stored.
// The list is complete for a version after the pinned one and for earlier versions, except below the free sections.
import { FIELD_NAMES } from './fields.ts'

const ASSISTANTS = ['assistant', 'conversation.inquiry.assistant']
const OF_ASSISTANT = [
  ...['instructions', 'system_prompt', 'system_prompt_sections', 'tool_choice', 'model.id', 'model.parameters'],
  ...['request.cache', 'request.max_response_bytes'],
]

/** Below these anything is taken: names that a person gives, and values that come in several forms. What a provider has is another thing in every version. */
const FREE = [
  ...ASSISTANTS.flatMap(assistant => OF_ASSISTANT.map(name => `${assistant}.${name}`)),
  ...[
    'config_load_paths',
    'extends',
    'conversation.attachments',
    'conversation.labels',
    'conversation.compaction.rules',
  ],
  ...['conversation.title.generate.model.id', 'conversation.title.generate.model.parameters'],
  ...['style.reasoning.display', 'style.reasoning.summary_model', 'editor.cmd', 'editor.envs', 'template.values'],
  ...['plugins.command', 'providers.llm', 'providers.mcp'],
]

const TOOLS = ['conversation', 'tools']
const OF_ALL_TOOLS = [
  ...['cancellation_response', 'format', 'result', 'run', 'style.hidden', 'style.joins_reasoning'],
  ...['style.print_stderr', 'style.results_file_link', 'style.error.results_file_link'],
]
const FREE_OF_ALL_TOOLS = [
  ...['access', 'enable', 'style.inline_results', 'style.parameters', 'style.error.inline_results'],
]
const OF_ONE_TOOL = ['description', 'examples', 'source', 'summary']
const FREE_OF_ONE_TOOL = ['command', 'options', 'parameters', 'questions']

/** One without names that is not free holds a value. */
interface Section {
  names: Map<string, Section>
  isFree: boolean
  /** What any other name stands for. */
  others?: Section
}

const ALL = makeSection(FIELD_NAMES, FREE)
const ALL_TOOLS = makeSection(OF_ALL_TOOLS, FREE_OF_ALL_TOOLS)
const ONE_TOOL = makeSection([...OF_ALL_TOOLS, ...OF_ONE_TOOL], [...FREE_OF_ALL_TOOLS, ...FREE_OF_ONE_TOOL])
const tools = sectionAt(ALL, TOOLS)
tools.names.set('*', ALL_TOOLS)
// Where the map says how it is merged, its tools are one level below.
tools.names.set('value', { names: new Map(), isFree: true })
tools.others = ONE_TOOL

function makeSection(settings: readonly string[], free: readonly string[]): Section {
  const root: Section = { names: new Map(), isFree: false }
  for (const name of settings) sectionAt(root, name.split('.'))
  for (const name of free) sectionAt(root, name.split('.')).isFree = true
  return root
}

/** Made where it is not there yet. */
function sectionAt(root: Section, path: readonly string[]): Section {
  return path.reduce((section, name) => {
    const inner = section.names.get(name) ?? { names: new Map(), isFree: false }
    section.names.set(name, inner)
    return inner
  }, root)
}

interface UnknownSetting {
  /** Up to the name that is not known. */
  path: string[]
  /** Says so to a person, with what may have been meant. */
  text: string
}

/** Undefined for a setting that JP has, and for a section. */
export function findUnknown(path: readonly string[]): UnknownSetting | undefined {
  let section = ALL
  for (const [index, name] of path.entries()) {
    if (section.isFree) return undefined
    const next = section.names.get(name) ?? section.others
    if (next === undefined) return { path: path.slice(0, index + 1), text: unknownSettingText(path, index, section) }
    section = next
  }
  return undefined
}

function unknownSettingText(path: readonly string[], index: number, { names }: Section): string {
  const known = [...names.keys()].toSorted()
  const holder = path.slice(0, index).join('.')
  const near = nearestOf(path[index] ?? '', known)
  const what = `There is no setting ${path.join('.')}.`
  if (known.length === 0) return `${what} ${holder} is a value, with nothing below it`
  if (near !== undefined) return `${what} Did you mean ${meant(path, index, near)}?`
  return `${what} ${holder === '' ? 'What there is begins with one of' : `In ${holder} there are`}: ${known.join(', ')}`
}

/** With the rest of what was typed, if that is right. */
function meant(path: readonly string[], index: number, near: string): string {
  const whole = path.with(index, near)
  return (findUnknown(whole) === undefined ? whole : whole.slice(0, index + 1)).join('.')
}

/** Undefined where none is near: then it was no slip of the hand. */
function nearestOf(name: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map(candidate => ({ candidate, distance: distanceBetween(name, candidate) }))
    .toSorted((a, b) => a.distance - b.distance)
  const [best] = ranked
  const isNear = best !== undefined && best.distance <= Math.ceil(Math.min(name.length, best.candidate.length) / 3)
  return isNear ? best.candidate : undefined
}

/** How many characters have to be put in, taken out or exchanged; two in the wrong order count once. */
function distanceBetween(from: string, to: string): number {
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const here = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      here[column] = Math.min(
        (last[column] ?? 0) + 1,
        (here[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = last
    last = here
  }
  return last[to.length] ?? 0
}
