// One file of a conversation: looked at, opened only where it is a regular file, read once, and told in one state. Changes nothing.
import type { BigIntStats } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseJson } from '../../../bytes/json.ts'
import { entryAt, type FileEntry, type PlainFile, withPlainFile } from '../../../disk/files/plain-file.ts'
import { assertInside, realPath } from '../../../disk/files/read.ts'
import { hasErrorCode, RethreadError } from '../../../model/errors.ts'
import type { ManagedFile } from '../names.ts'
import { BASE_CONFIG, EVENTS, INIT_CONFIG, METADATA } from '../names.ts'
import { classifyEvents, type EventsFacts } from './classify-events.ts'
import { conditionOf } from './condition.ts'
import type { Wrong } from './json-value.ts'
import { scanJson } from './scan-json.ts'
import { checkBaseConfig, checkInitConfig } from './shape-config.ts'
import { checkMetadata } from './shape-metadata.ts'
import type { Condition, FileMark, FileState } from './state.ts'

/** JP reads a file whole, so nothing of this size was ever of use to it. */
export const MAX_EVENTS_BYTES = 512 * 1024 * 1024
/** A hundred times what is seen. */
export const MAX_CONFIG_BYTES = 32 * 1024 * 1024

export interface ClassifiedFile {
  state: FileState
  /** What a healthy small file holds; undefined for the events, which are never held. */
  value?: unknown
  events?: EventsFacts
}

export function classifyFile(folder: string, root: string, file: ManagedFile): ClassifiedFile {
  const path = join(folder, file)
  try {
    const looked = entryAt(path)
    const mark = looked.type === 'missing' ? {} : { identity: markOf(looked.stats) }
    const { condition, ...rest } = classifyLooked(path, root, file, looked)
    const link = looked.type === 'link' ? { linkTarget: looked.target } : {}
    return { state: { file, path, condition, ...link, ...mark }, ...rest }
  } catch (error) {
    return { state: { file, path, condition: blocked(error) } }
  }
}

export function markOf(stats: BigIntStats): FileMark {
  return {
    device: String(stats.dev),
    inode: String(stats.ino),
    size: Number(stats.size),
    mtimeNs: stats.mtimeNs,
    mode: Number(stats.mode) & 0o7777,
  }
}

type Found = Omit<ClassifiedFile, 'state'> & { condition: Condition }

function classifyLooked(path: string, root: string, file: ManagedFile, looked: FileEntry): Found {
  switch (looked.type) {
    case 'missing':
      return { condition: { type: 'missing' } }
    case 'folder':
      return { condition: { type: 'is-a-directory' } }
    case 'other':
      return { condition: { type: 'not-a-regular-file', kind: looked.kind } }
    case 'link':
      return followLink(path, root, file, looked.target)
    case 'file':
      return classifyBytes(path, file, looked.stats)
  }
}

/** Once, and only to a name that is no link itself once all links are followed. */
function followLink(path: string, root: string, file: ManagedFile, target: string): Found {
  let real: string
  try {
    real = realPath(path)
  } catch (error) {
    if (hasErrorCode(error, 'not-found')) return { condition: { type: 'link-dangling', target } }
    throw error
  }
  try {
    assertInside(path, root)
  } catch (error) {
    if (hasErrorCode(error, 'outside-store')) return { condition: { type: 'link-outside', target, real } }
    throw error
  }
  const found = classifyLooked(real, dirname(real), file, entryAt(real))
  if (found.condition.type === 'healthy' || found.condition.type === 'blocked') return found
  return { ...found, condition: { type: 'link-to-bad', target, found: found.condition } }
}

function classifyBytes(path: string, file: ManagedFile, stats: BigIntStats): Found {
  const limit = file === EVENTS ? MAX_EVENTS_BYTES : MAX_CONFIG_BYTES
  if (Number(stats.size) > limit) return { condition: { type: 'too-large', limit } }
  return withPlainFile(path, stats, (opened): Found => {
    switch (file) {
      case EVENTS:
        return classifyEvents(opened.chunks())
      case METADATA:
        return classifySmall(opened, checkMetadata)
      case BASE_CONFIG:
        return classifySmall(opened, checkBaseConfig)
      case INIT_CONFIG:
        return classifySmall(opened, checkInitConfig)
    }
  })
}

/** JP's validator takes any JSON for one of these; what is in them only its loader looks at. */
function classifySmall(file: PlainFile, check: (value: unknown) => Wrong[]): Found {
  const bytes = file.all()
  const scanned = scanJson(bytes)
  const broken = conditionOf(scanned)
  if (broken !== undefined) return { condition: broken }
  const value = parseJson(bytes)
  const faults = check(value).map(wrong => ({ ...wrong, isSeenByValidator: false }))
  return { condition: faults.length === 0 ? { type: 'healthy' } : { type: 'wrong-shape', faults, more: 0 }, value }
}

function blocked(error: unknown): Condition {
  if (!(error instanceof RethreadError)) throw error
  return { type: 'blocked', code: error.code, text: error.message, hint: error.hint }
}
