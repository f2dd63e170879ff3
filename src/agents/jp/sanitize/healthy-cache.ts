// Remembers which conversations were healthy, so that a run over an unchanged store only lists it. The cache
// is derived: it may be deleted and is never a reason to fail.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { statIfThere } from '../../../disk/files/handles.ts'
import { seal, unseal } from '../../../disk/state/checksums.ts'
import { openCacheTable } from '../../../disk/state/state.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { JpConversation } from '../conversations.ts'
import { BASE_CONFIG, EVENTS, METADATA } from '../names.ts'
import type { Workspace } from '../roots.ts'

/** Changes whenever a conversation may be judged differently. */
const RULES = '1'
const NAME = 'healthy-folders'
const READ_BY_JP = [METADATA, BASE_CONFIG, EVENTS]

export interface HealthyCache {
  /** The conversation was healthy, and none of its files has changed. Opens no file. */
  has(conversation: JpConversation): boolean
  add(conversation: JpConversation): void
  /** Stores what this run has found. */
  save(): void
}

export function openHealthyCache(state: string, workspace: Workspace): HealthyCache {
  const key = createHash('sha256')
    .update(workspace.roots.map(({ path }) => path).join('\0'))
    .digest('hex')
  const stored = bestEffort(() => readStamps(state, key)) ?? new Map<string, string>()
  const found = new Map<string, string>()
  let isNew = false
  return {
    has(conversation) {
      const id = keyOf(conversation)
      const stamp = stampOf(conversation)
      if (stored.get(id) !== stamp) return false
      found.set(id, stamp)
      return true
    },
    add(conversation) {
      isNew = true
      found.set(keyOf(conversation), stampOf(conversation))
    },
    save() {
      if (isNew || found.size !== stored.size) bestEffort(() => writeStamps(state, key, found))
    },
  }
}

function keyOf({ folders }: JpConversation): string {
  return folders.map(({ path }) => path).join('\0')
}

/**
 * A folder changes with its list of names, so a file that is new or gone is noticed. Links are never cached,
 * because their targets change on their own.
 */
function stampOf({ folders }: JpConversation): string {
  return folders
    .flatMap(({ path }) => [path, ...READ_BY_JP.map(file => join(path, file))])
    .map(path => {
      const stats = statIfThere(path)
      return stats === undefined ? '-' : `${stats.ino}.${stats.size}.${stats.ctimeNs}`
    })
    .join(' ')
}

function readStamps(state: string, key: string): Map<string, string> {
  const table = openCacheTable(state, NAME)
  try {
    const value = unseal(table.get(key) ?? '')
    if (!isStored(value) || value.rules !== RULES) return new Map()
    return new Map(value.stamps)
  } finally {
    table.close()
  }
}

interface Stored {
  rules: string
  stamps: [string, string][]
}

function isStored(value: unknown): value is Stored {
  return typeof value === 'object' && value !== null && 'rules' in value && 'stamps' in value
}

function writeStamps(state: string, key: string, stamps: ReadonlyMap<string, string>): void {
  const table = openCacheTable(state, NAME)
  try {
    table.set(key, seal({ rules: RULES, stamps: [...stamps] } satisfies Stored))
  } finally {
    table.close()
  }
}

function bestEffort<T>(step: () => T): T | undefined {
  try {
    return step()
  } catch (error) {
    if (error instanceof RethreadError || error instanceof SyntaxError) return undefined
    throw error
  }
}
