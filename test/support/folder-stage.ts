// A workspace whose conversations are folders of files, some of them damaged, behind the real server with the built page.
import { readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { linkStorage, putWorkspace, WHOLE } from '../../src/agents/jp/test-store.ts'
import { BUILT_PAGE } from './browser.ts'
import { BAD_EVENTS } from './sanitize-stage.ts'
import type { ServerStage } from './server.ts'
import { shareStage } from './server.ts'

const FIRST = 17935272000

export interface FolderStage {
  address: string
  key(at: number): string
  /** Of its events, as they are now. */
  events(at: number): string
}

/** Of each, which files are not as they should be; the others are whole. */
export function shareFolders(damages: readonly Record<string, string>[]): () => FolderStage {
  const nameOf = (at: number): string => `${FIRST + at}-price-field-${at}`
  const fill = (home: string): void => {
    linkStorage(home, join(home, 'shop/.jp'))
    for (const [at, files] of damages.entries()) {
      const all = { ...WHOLE, ...files }
      const workspace = putWorkspace(home, all, nameOf(at))
      // What was written a moment ago may still be being written.
      for (const file of Object.keys(all)) utimesSync(join(workspace, '.jp/conversations', nameOf(at), file), 1e9, 1e9)
    }
  }
  const stage: () => ServerStage = shareStage(fill, { page: BUILT_PAGE })
  return () => ({
    address: stage().server.address,
    key: at => stage().key(`jp-c${FIRST + at}`),
    events: at => readFileSync(join(stage().home, 'shop/.jp/conversations', nameOf(at), 'events.json'), 'utf8'),
  })
}

export const DAMAGED_EVENTS = { 'events.json': BAD_EVENTS }
export const DAMAGED_FLAGS = { 'init_config.json': '{"assistant": {' }
