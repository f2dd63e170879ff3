// The input of a tool by its shape: a command line, changes of files, or named values. No tool or agent is
// known by name.
import type { DiffLine } from './line-diff.ts'
import { added, diffLines, linesOf, withoutFarLines } from './line-diff.ts'
import type { FileDiff } from './patches.ts'
import { readPatch } from './patches.ts'

export type ToolInput =
  | { type: 'command'; command: string; folder: string | undefined; note: string | undefined }
  | { type: 'changes'; files: FileDiff[] }
  | { type: 'fields'; fields: [string, string][] }
  | { type: 'text'; text: string }
  | { type: 'json'; text: string }
  | { type: 'nothing' }

type Values = Record<string, unknown>

const PATHS = ['file_path', 'filePath', 'path', 'target_file', 'absolute_path', 'filename', 'file', 'uri']
const OLD = ['old_string', 'oldString', 'old_str', 'oldStr', 'old_text', 'oldText']
const NEW = ['new_string', 'newString', 'new_str', 'newStr', 'new_text', 'newText']
const CONTENT = ['content', 'contents', 'file_text', 'fileText', 'code_edit']
const PATCHES = ['patch', 'patchText', 'patch_text', 'diff', 'unified_diff', 'input']
const COMMANDS = ['command', 'cmd', 'script', 'commandLine', 'command_line']
const FOLDERS = ['workdir', 'cwd', 'directory', 'dir_path', 'working_directory']
const NOTES = ['description', 'explanation', 'summary', 'justification']
/** More or longer fields are shown as JSON. */
const MAX_FIELDS = 12
const MAX_FIELD_CHARS = 2000

export function describeInput(input: unknown): ToolInput {
  if (typeof input === 'string') return describeText(input)
  if (!isValues(input)) return input === undefined || input === null ? { type: 'nothing' } : asJson(input)
  const files = changesIn(input)
  if (files.length > 0) return { type: 'changes', files }
  const command = commandIn(input)
  if (command !== undefined) return { type: 'command', command, folder: pick(input, FOLDERS), note: pick(input, NOTES) }
  return describeFields(input)
}

function describeText(text: string): ToolInput {
  if (text === '') return { type: 'nothing' }
  const files = readPatch(text)
  return files === undefined ? { type: 'text', text } : { type: 'changes', files }
}

/** One line for the head of a card. An open card shows the command itself below. */
export function titleOfInput(input: ToolInput, isOpen: boolean): string {
  switch (input.type) {
    case 'command':
      return isOpen ? (input.note ?? '') : input.command
    case 'changes':
      return input.files.map(({ path, movedTo }) => (movedTo === undefined ? path : `${path} → ${movedTo}`)).join(', ')
    case 'fields':
      return input.fields[0]?.[1] ?? ''
    case 'text':
    case 'json':
      return input.text
    case 'nothing':
      return ''
  }
}

function changesIn(input: Values): FileDiff[] {
  const path = pick(input, PATHS)
  const before = pickRaw(input, OLD)
  const after = pickRaw(input, NEW)
  if (after !== undefined && (before !== undefined || path !== undefined))
    return [{ path: path ?? '', kind: 'edit', lines: editLines(before ?? '', after) }]
  const edits = Array.isArray(input['edits']) ? input['edits'].filter(isValues) : []
  const parts = edits.map(edit => ({ before: pickRaw(edit, OLD), after: pickRaw(edit, NEW) }))
  if (parts.length > 0 && parts.every(part => part.after !== undefined))
    return [{ path: path ?? '', kind: 'edit', lines: joinEdits(parts) }]
  for (const key of PATCHES) {
    const text = input[key]
    const files = typeof text === 'string' ? readPatch(text) : undefined
    if (files !== undefined) return files.map(file => (file.path === '' ? { ...file, path: path ?? '' } : file))
  }
  const content = pickRaw(input, CONTENT)
  if (path !== undefined && content !== undefined) return [{ path, kind: 'write', lines: linesOf(content).map(added) }]
  return [...changesByPath(input['changes']), ...patchInCommand(input)]
}

function editLines(before: string, after: string): DiffLine[] {
  return withoutFarLines(diffLines(before, after))
}

function joinEdits(edits: { before: string | undefined; after: string | undefined }[]): DiffLine[] {
  return edits.flatMap(({ before, after }, at) => {
    const gap: DiffLine[] = at === 0 ? [] : [{ kind: 'gap', text: '' }]
    return [...gap, ...editLines(before ?? '', after ?? '')]
  })
}

/** An object of changes by path, such as `{ "src/a.ts": { update: { unified_diff } } }`. */
function changesByPath(changes: unknown): FileDiff[] {
  if (!isValues(changes)) return []
  return Object.entries(changes).flatMap(([path, change]): FileDiff[] => {
    if (!isValues(change)) return []
    const inner = Object.values(change).find(isValues) ?? change
    const diff = inner['unified_diff']
    if (typeof diff === 'string') return (readPatch(diff) ?? []).map(file => ({ ...file, path }))
    const content = inner['content']
    return typeof content === 'string' ? [{ path, kind: 'write', lines: linesOf(content).map(added) }] : []
  })
}

function patchInCommand(input: Values): FileDiff[] {
  const command = commandIn(input)
  return command?.includes('*** Begin Patch') ? (readPatch(command) ?? []) : []
}

function commandIn(input: Values): string | undefined {
  for (const key of COMMANDS) {
    const value = input[key]
    if (typeof value === 'string' && value !== '') return value
    if (Array.isArray(value) && value.length > 0 && value.every(word => typeof word === 'string')) return lineOf(value)
  }
  return undefined
}

/** The argument of -c or -lc of a shell; otherwise the words, quoted if needed. */
function lineOf(words: string[]): string {
  const [shell = '', flag = '', script] = words
  if (words.length === 3 && script !== undefined && /(^|\/)(ba|z|da|fi)?sh$/.test(shell) && /^-l?c$/.test(flag))
    return script
  return words.map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ')
}

function describeFields(input: Values): ToolInput {
  const entries = Object.entries(input).filter(([, value]) => value !== undefined)
  if (entries.length === 0) return { type: 'nothing' }
  const isShort = entries.every(([, value]) => {
    if (typeof value === 'string') return value.length <= MAX_FIELD_CHARS
    return value === null || typeof value === 'number' || typeof value === 'boolean'
  })
  if (!isShort || entries.length > MAX_FIELDS) return asJson(input)
  return { type: 'fields', fields: entries.map(([key, value]) => [key, String(value)]) }
}

function asJson(value: unknown): ToolInput {
  return { type: 'json', text: JSON.stringify(value, undefined, 2) ?? String(value) }
}

function pick(values: Values, keys: readonly string[]): string | undefined {
  const found = pickRaw(values, keys)
  return found === '' ? undefined : found
}

function pickRaw(values: Values, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = values[key]
    if (typeof value === 'string') return value
  }
  return undefined
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
