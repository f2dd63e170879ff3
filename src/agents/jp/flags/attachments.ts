// What was attached from the start: `-a`.
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { exists } from '../../../disk/files/read.ts'
import type { Delta } from './delta.ts'
import { WrongFlag } from './delta.ts'

const ATTACHMENTS = ['conversation', 'attachments']
/** One letter before a colon is a drive. */
const URL = /^[a-z][a-z0-9+.-]+:/i

export function attach(delta: Delta, value: string, workspace: string | undefined): void {
  delta.append(ATTACHMENTS, [URL.test(value) ? value : fileUrl(value, workspace)])
}

function fileUrl(value: string, workspace: string | undefined): string {
  const isExcluded = value.startsWith('!')
  const path = isExcluded ? value.slice(1) : value
  if (workspace === undefined) throw new WrongFlag(`${path} is in no workspace that is known here. Leave this -a out.`)
  const full = resolve(workspace, path)
  const inside = relative(workspace, full)
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside))
    throw new WrongFlag(`${path} is not in the workspace ${workspace}. Leave this -a out.`)
  // A pattern stands for whatever there is.
  if (!/[*?[\]{}]/.test(path) && !exists(full))
    throw new WrongFlag(`There is no ${path} in ${workspace}. Leave this -a out, or name where it is now.`)
  return `file:${inside.split(sep).join('/')}${isExcluded ? '?exclude=true' : ''}`
}
