// The names that clients know: of tools, of permissions, and of the fields of their input. Clients show a
// command, a path or a diff only under these.
import type { ToolPart } from '../../journal/conversation/changes.ts'
import { asFields } from '../../journal/envelope.ts'

const SHELL = 'bash'

/** By the kinds of ACP. */
const NAMES = new Map([
  ['execute', SHELL],
  ['read', 'read'],
  ['edit', 'edit'],
  ['delete', 'edit'],
  ['move', 'edit'],
  ['search', 'grep'],
  ['fetch', 'webfetch'],
  ['think', 'task'],
  ['switch_mode', 'plan_exit'],
])
/** Tools that clients show in a form of their own, if their input is known. */
const SHOWN = new Map([
  ['execute', 'command'],
  ['read', 'filePath'],
  ['edit', 'filePath'],
])

export type NamedTool = Pick<ToolPart, 'name' | 'kind' | 'title' | 'input' | 'files' | 'diffs'>

/** The kind of action that a permission is about. Rules of clients name it too. */
export function permissionName(kind: string, name: string | undefined): string {
  return NAMES.get(kind) ?? (name === undefined || name === '' ? kind : name)
}

/** Clients show the command, the file and the output of a tool only under the names that they know. */
export function toolName(tool: NamedTool): string {
  const { name, kind } = tool
  const needed = SHOWN.get(kind)
  if (needed === undefined || typeof clientInput(tool)[needed] !== 'string') return name
  return NAMES.get(kind) ?? name
}

const PATH_FIELDS = ['file_path', 'filepath', 'absolute_path', 'abs_path', 'path']
const OTHER_FIELDS = [
  ['old_string', 'oldString'],
  ['new_string', 'newString'],
] as const

/** The input as the agent gave it, with the fields that clients show added where they are missing. */
export function clientInput({ kind, name, title, input, files, diffs }: NamedTool): Record<string, unknown> {
  const given = readInput(input)
  const added: Record<string, unknown> = {}
  // Some agents never give the input. The title of the call is the command then.
  const isTitled = (input ?? null) === null && title !== '' && title !== name && title !== kind
  const command = kind === 'execute' ? (commandOf(given) ?? (isTitled ? withoutQuotes(title) : undefined)) : undefined
  if (command !== undefined) added['command'] = command
  if (kind === 'read' || NAMES.get(kind) === 'edit') {
    const path = PATH_FIELDS.map(name => given[name]).find(value => typeof value === 'string')
    const filePath = given['filePath'] ?? path ?? files[0] ?? diffs[0]?.path
    if (filePath !== undefined) added['filePath'] = filePath
    for (const [name, known] of OTHER_FIELDS)
      if (typeof given[name] === 'string' && given[known] === undefined) added[known] = given[name]
  }
  return { ...given, ...added }
}

function readInput(input: unknown): Record<string, unknown> {
  if (input === undefined || input === null) return {}
  return typeof input === 'object' && !Array.isArray(input) ? asFields(input) : { value: input }
}

const SHELL_FLAGS = new Set(['-c', '-lc'])

/** Some agents give a command as a list of words, often with a shell in front. */
function commandOf({ command, cmd }: Record<string, unknown>): string | undefined {
  const given = command ?? cmd
  if (typeof given === 'string') return given === '' ? undefined : given
  if (!Array.isArray(given) || given.length === 0 || !given.every(word => typeof word === 'string')) return undefined
  const [, flag, script] = given
  return given.length === 3 && SHELL_FLAGS.has(flag ?? '') ? script : given.join(' ')
}

function withoutQuotes(title: string): string {
  return /^`([^`]+)`$/.exec(title)?.[1] ?? title
}
