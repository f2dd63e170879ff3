// The files that a pattern means, in the order of their names. Folders behind links are not entered: they may lead in a circle.
import { join, sep } from 'node:path'
import { listFolder } from '../../../disk/files/read.ts'
import { matchesName } from '../../../model/glob.ts'

/** A pattern that means more than this is not about configuration. */
const MAX_FOUND = 1000
const MAX_DEPTH = 32

export function isPattern(path: string): boolean {
  return /[*?[]/.test(path)
}

/** Below `folder`, or wherever the pattern leads from there. What cannot be listed is thrown. */
export function expandPattern(folder: string, pattern: string): string[] {
  const names = pattern.split('/').filter(name => name !== '')
  const fixed = names.findIndex(isPattern)
  const found: string[] = []
  collect(join(folder, ...names.slice(0, fixed)), names.slice(fixed), found, 0)
  return found.toSorted(byNames)
}

/** Name by name: what is in a folder stands where the folder would. */
function byNames(a: string, b: string): number {
  const [first, second] = [a.split(sep), b.split(sep)]
  const at = first.findIndex((name, index) => name !== second[index])
  return (first[at] ?? '') < (second[at] ?? '') ? -1 : 1
}

function collect(folder: string, [name = '', ...rest]: readonly string[], found: string[], depth: number): void {
  if (depth > MAX_DEPTH || found.length >= MAX_FOUND) return
  if (name === '**') {
    collect(folder, rest.length === 0 ? ['*'] : rest, found, depth + 1)
    for (const entry of listFolder(folder)) if (entry.isFolder) collect(entry.path, [name, ...rest], found, depth + 1)
    return
  }
  if (!isPattern(name)) {
    const path = join(folder, name)
    if (rest.length > 0) collect(path, rest, found, depth + 1)
    else found.push(path)
    return
  }
  // As JP has it: a backslash is a character like others, and so is ^ in a class.
  const plain = name.replaceAll('\\', '\\\\').replace(/\[\^([^\]]+)\]/g, '[$1^]')
  for (const entry of listFolder(folder)) {
    if (!matchesName(plain, entry.name)) continue
    if (rest.length > 0 && entry.isFolder) collect(entry.path, rest, found, depth + 1)
    else if (rest.length === 0 && !entry.isFolder && found.length < MAX_FOUND) found.push(entry.path)
  }
}
