// --mount [TOOL:]NAME=PATH[:ro|rw]: a tool may use a folder outside the workspace through a link in it. Only
// the rule is written; the link is JP's to make.
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { exists, realPath } from '../../../disk/files/read.ts'
import { asArray, asObject } from '../../stores/values.ts'
import { bareList } from '../config/merge.ts'
import { WORKSPACE_FOLDER } from '../names.ts'
import type { Delta } from './delta.ts'
import { WrongFlag } from './delta.ts'
import { mountedTools } from './flag-settings.ts'

const TOOL = /^[a-z_][a-z0-9_]*$/
/** A tool without rules may use the workspace, and keeps that. */
const WORKSPACE_RULE = { path: '.', read: true, write: true }

export function mount(delta: Delta, text: string, workspace: string | undefined): void {
  const { tool, name, path, isWritten } = parseMount(text)
  if (workspace === undefined) throw new WrongFlag('--mount needs a workspace, and none is known here. Leave it out.')
  const rule = { path: insideOf(name, workspace), external: true, read: true, write: isWritten }
  assertOutside(path, workspace)
  for (const target of mountedTools(delta, tool)) {
    const rules = ['conversation', 'tools', target, 'access', 'fs']
    const there = bareList(delta.get(rules), rules) ?? []
    if (there.some(one => asObject(one)?.['path'] === rule.path)) continue
    delta.append(rules, asArray(there)?.length === 0 ? [WORKSPACE_RULE, rule] : [rule])
  }
  delta.notes.push(`--mount: the link ${rule.path} is not made here. JP makes it when the flag is given again.`)
}

interface Mount {
  tool: string | undefined
  name: string
  path: string
  isWritten: boolean
}

function parseMount(text: string): Mount {
  const [, left = '', right = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  const [, tool, name = left] = /^([^:]*):(.*)$/s.exec(left) ?? []
  const path = right.replace(/:r[ow]$/, '')
  const isWritten = right.endsWith(':rw')
  if (name === '' || path === '') throw new WrongFlag(`${text} is not of the form [TOOL:]NAME=PATH[:ro|rw]`)
  if (tool !== undefined && !TOOL.test(tool)) throw new WrongFlag(`${tool} is not the name of a tool`)
  if (isWritten && tool === undefined) throw new WrongFlag(`${text}: with :rw, name the tool before it: TOOL:${text}`)
  return { tool, name, path, isWritten }
}

function insideOf(name: string, workspace: string): string {
  const inside = relative(workspace, resolve(workspace, name))
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside))
    throw new WrongFlag(`${name} is not in the workspace ${workspace}`)
  if (inside.split(sep)[0] === WORKSPACE_FOLDER) throw new WrongFlag(`${name} is in the storage of JP`)
  return inside.split(sep).join('/')
}

function assertOutside(path: string, workspace: string): void {
  const full = resolve(workspace, path)
  if (!exists(full)) throw new WrongFlag(`There is no ${path}. Leave this --mount out, or name where it is now.`)
  const inside = relative(realPath(workspace), realPath(full))
  if (inside === '' || !(inside.startsWith('..') || isAbsolute(inside)))
    throw new WrongFlag(`${path} is in the workspace, and --mount is for other folders`)
}
