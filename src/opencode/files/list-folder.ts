// Lists one folder of a session, for a client that shows a tree.
import { join } from 'node:path'
import { statPath } from '../../disk/files/read.ts'
import { resolveInside } from '../../disk/files/session-path.ts'
import { type InFolder, type OpenFolder, withSessionFolder } from '../../disk/files/walk-folder.ts'
import { hasErrorCode } from '../../model/errors.ts'
import { IgnoreRules, NEVER } from './ignore-rules.ts'
import { MAX_LISTED_ENTRIES } from './limits.ts'
import { type LeftOut, NOTHING_LEFT_OUT } from './skipped.ts'

export interface FileNode {
  name: string
  path: string
  absolute: string
  type: 'file' | 'directory'
  ignored: boolean
}

/**
 * Folders first. `path` is relative to `directory`, or the absolute path of a
 * folder in it; empty for the directory itself.
 */
export function listNodes(directory: string, path: string): { nodes: FileNode[]; leftOut: LeftOut } {
  const steps = stepsOf(path.startsWith(`${directory}/`) ? path.slice(directory.length) : path)
  const rules = rulesAlong(directory, steps)
  const inside = steps.join('/')
  const entries = withSessionFolder(join(directory, inside), [directory], folder => folder.list())
  const kept = entries.filter(({ name }) => !NEVER.has(name))
  const nodes = kept.slice(0, MAX_LISTED_ENTRIES).flatMap(entry => makeNode(directory, inside, entry, rules) ?? [])
  const isCut = kept.length > MAX_LISTED_ENTRIES
  return { nodes: nodes.sort(byKindAndName), leftOut: isCut ? { skipped: {}, limits: ['entries'] } : NOTHING_LEFT_OUT }
}

function stepsOf(path: string): string[] {
  return path.split(/[/\\]/).filter(step => step !== '' && step !== '.')
}

function rulesAlong(directory: string, steps: readonly string[]): IgnoreRules {
  let rules = IgnoreRules.none()
  for (let depth = 0; depth <= steps.length; depth++) {
    const path = steps.slice(0, depth).join('/')
    const enter = (folder: OpenFolder): IgnoreRules => rules.inside(path, folder)
    rules = withSessionFolder(join(directory, path), [directory], enter)
  }
  return rules
}

/** Other entries than files and folders are not shown: a client would only try to open them. */
function makeNode(directory: string, inside: string, entry: InFolder, rules: IgnoreRules): FileNode | undefined {
  const { name } = entry
  const path = inside === '' ? name : `${inside}/${name}`
  const absolute = join(directory, path)
  const kind = entry.kind === 'link' ? kindBehind(absolute, directory) : entry.kind
  if (kind === 'other') return undefined
  const type = kind === 'folder' ? 'directory' : 'file'
  return { name, path, absolute, type, ignored: rules.isIgnored(path, type === 'directory') }
}

/** A link that leads out is shown as a file that cannot be read. Its target is not examined. */
function kindBehind(path: string, directory: string): 'file' | 'folder' | 'other' {
  try {
    const stats = statPath(resolveInside(path, [directory]).real)
    return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other'
  } catch (error) {
    if (hasErrorCode(error, 'outside-store') || hasErrorCode(error, 'not-found')) return 'file'
    if (hasErrorCode(error, 'not-a-regular-file') || hasErrorCode(error, 'permission-denied')) return 'file'
    throw error
  }
}

function byKindAndName(a: FileNode, b: FileNode): number {
  if (a.type !== b.type) return a.type === 'directory' ? -1 : 1
  return a.name < b.name ? -1 : 1
}
