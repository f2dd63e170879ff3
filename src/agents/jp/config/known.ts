// The names of all settings of JP. JP refuses a setting that it does not know, so a typing error must not be stored.
// The list is complete for a version after the pinned one and for earlier versions, except below the free sections.
import { FIELD_NAMES } from './fields.ts'

const ASSISTANTS = ['assistant', 'conversation.inquiry.assistant']
const OF_ASSISTANT = [
  ...['instructions', 'system_prompt', 'system_prompt_sections', 'tool_choice', 'model.id', 'model.parameters'],
  ...['request.cache', 'request.max_response_bytes'],
]

/**
 * Sections in which every name is accepted: names chosen by the user, values with several forms, and the
 * settings of providers, which differ between versions.
 */
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

/** A section without names that is not free holds a value. */
interface Section {
  names: Map<string, Section>
  isFree: boolean
  /** The section of every other name. */
  others?: Section
}

const ALL = makeSection(FIELD_NAMES, FREE)
const ALL_TOOLS = makeSection(OF_ALL_TOOLS, FREE_OF_ALL_TOOLS)
const ONE_TOOL = makeSection([...OF_ALL_TOOLS, ...OF_ONE_TOOL], [...FREE_OF_ALL_TOOLS, ...FREE_OF_ONE_TOOL])
const tools = sectionAt(ALL, TOOLS)
tools.names.set('*', ALL_TOOLS)
// In a map with a merge strategy, the tools are one level below.
tools.names.set('value', { names: new Map(), isFree: true })
tools.others = ONE_TOOL

function makeSection(settings: readonly string[], free: readonly string[]): Section {
  const root: Section = { names: new Map(), isFree: false }
  for (const name of settings) sectionAt(root, name.split('.'))
  for (const name of free) sectionAt(root, name.split('.')).isFree = true
  return root
}

/** Creates missing sections. */
function sectionAt(root: Section, path: readonly string[]): Section {
  return path.reduce((section, name) => {
    const inner = section.names.get(name) ?? { names: new Map(), isFree: false }
    section.names.set(name, inner)
    return inner
  }, root)
}

interface UnknownSetting {
  /** The path up to the first unknown name. */
  path: string[]
  /** The error message, with a suggestion if there is one. */
  text: string
}

/** Returns undefined for a setting or a section that JP knows. */
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
  return `${what} ${holder === '' ? 'Settings start with one of' : `The settings in ${holder} are`}: ${known.join(', ')}`
}

/** Includes the rest of the path if the result is a known setting. */
function meant(path: readonly string[], index: number, near: string): string {
  const whole = path.with(index, near)
  return (findUnknown(whole) === undefined ? whole : whole.slice(0, index + 1)).join('.')
}

/** Returns the candidate that was most likely meant; undefined if none is similar. */
function nearestOf(name: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map(candidate => ({ candidate, distance: distanceBetween(name, candidate) }))
    .toSorted((a, b) => a.distance - b.distance)
  const [best] = ranked
  const isNear = best !== undefined && best.distance <= Math.ceil(Math.min(name.length, best.candidate.length) / 3)
  return isNear ? best.candidate : undefined
}

/** The number of inserted, removed and replaced characters. Two swapped characters count once. */
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
