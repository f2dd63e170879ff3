// Parses patches as agents write them, in unified form or between "*** Begin Patch" and "*** End Patch", into
// lines for each file.
import type { DiffLine } from './line-diff.ts'
import { added, removed } from './line-diff.ts'

export interface FileDiff {
  path: string
  kind: 'edit' | 'write' | 'delete' | 'move'
  movedTo?: string
  lines: DiffLine[]
}

const BEGIN = '*** Begin Patch'
const FILE_HEAD = /^\*\*\* (Add|Update|Delete) File: (.+)$/
const MOVE = /^\*\*\* Move to: (.+)$/

/** Undefined if the text is not a patch. */
export function readPatch(text: string): FileDiff[] | undefined {
  const begin = text.indexOf(BEGIN)
  const files = begin >= 0 ? readEnvelope(text.slice(begin)) : readUnified(text)
  return files.length === 0 ? undefined : files
}

function readEnvelope(text: string): FileDiff[] {
  const files: FileDiff[] = []
  for (const line of text.split('\n')) {
    if (line.startsWith('*** End Patch')) break
    const [, verb, path] = FILE_HEAD.exec(line) ?? []
    if (verb !== undefined && path !== undefined) {
      files.push({ path, kind: verb === 'Add' ? 'write' : verb === 'Delete' ? 'delete' : 'edit', lines: [] })
      continue
    }
    const file = files.at(-1)
    if (file === undefined) continue
    const movedTo = MOVE.exec(line)?.[1]
    if (movedTo !== undefined) Object.assign(file, { kind: 'move', movedTo })
    else if (!line.startsWith('*** ')) addLine(file, line)
  }
  return files
}

/** Requires a head of two lines, or a line that starts a hunk. */
function readUnified(text: string): FileDiff[] {
  if (!/^@@ .*@@|^--- .+\n\+\+\+ /m.test(text)) return []
  const files: FileDiff[] = []
  const lines = text.split('\n')
  let isInHunk = false
  for (const [at, line] of lines.entries()) {
    if (line.startsWith('diff --git ') || /^(index |new file|deleted file|similarity |rename )/.test(line)) {
      isInHunk = false
      continue
    }
    if (line.startsWith('--- ') && (lines[at + 1] ?? '').startsWith('+++ ')) {
      files.push(headOf(line, lines[at + 1] ?? ''))
      isInHunk = false
      continue
    }
    if (line.startsWith('+++ ') && !isInHunk) continue
    if (line.startsWith('@@')) isInHunk = true
    if (!isInHunk) continue
    if (files.length === 0) files.push({ path: '', kind: 'edit', lines: [] })
    const file = files.at(-1)
    if (file !== undefined) addLine(file, line)
  }
  return files
}

function headOf(old: string, now: string): FileDiff {
  const [before, after] = [pathOf(old), pathOf(now)]
  if (before === '/dev/null') return { path: after, kind: 'write', lines: [] }
  return { path: before, kind: after === '/dev/null' ? 'delete' : 'edit', lines: [] }
}

function pathOf(line: string): string {
  const path = line.slice(4).split('\t')[0] ?? ''
  return path.replace(/^[ab]\//, '')
}

function addLine(file: FileDiff, line: string): void {
  if (line.startsWith('@@')) {
    const where = line.replace(/^@@ ?(?:-\S+ \+\S+ @@)? ?/, '')
    if (file.lines.length > 0 || where !== '') file.lines.push({ kind: 'gap', text: where })
  } else if (line.startsWith('+')) file.lines.push(added(line.slice(1)))
  else if (line.startsWith('-')) file.lines.push(removed(line.slice(1)))
  else if (line.startsWith(' ')) file.lines.push({ kind: 'same', text: line.slice(1) })
}
