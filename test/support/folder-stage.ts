// A workspace whose conversations are folders of files, some of them damaged, behind the real server with the built page.
import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { BUILT_PAGE } from './browser.ts'
import { type Files, linkStorage, putWorkspace, WHOLE } from './jp/store.ts'
import { BAD_EVENTS } from './sanitize-stage.ts'
import type { ServerStage } from './server.ts'
import { shareStage } from './server.ts'

const FIRST = 17935272000
const PLACE = 'shop/.jp/conversations'

export interface FolderStage {
  address: string
  key(at: number): string
  /** Of its events, as they are now. */
  events(at: number): string
}

/** Of each, which files are not as they should be; the others are whole. */
export function shareFolders(damages: readonly Record<string, string>[]): () => FolderStage {
  const nameOf = (at: number): string => `${FIRST + at}-price-field-${at}`
  const folders = Object.fromEntries(damages.map((files, at) => [nameOf(at), files]))
  const stage = shareNamedFolders(folders)
  return () => ({
    address: stage().address,
    key: at => stage().key(`jp-c${FIRST + at}`),
    events: at => stage().read(nameOf(at), 'events.json'),
  })
}

export interface NamedFolderStage {
  address: string
  server: ServerStage
  key(sessionId: string): string
  read(name: string, file: string): string
  names(): string[]
}

/** The same, by the names of the folders. `undefined` leaves a file out. */
export function shareNamedFolders(folders: Record<string, Files>): () => NamedFolderStage {
  const fill = (home: string): void => {
    linkStorage(home, join(home, 'shop/.jp'))
    for (const [name, files] of Object.entries(folders)) {
      putWorkspace(home, { ...WHOLE, ...files }, name)
      // What was written a moment ago may still be being written.
      for (const file of readdirSync(join(home, PLACE, name))) utimesSync(join(home, PLACE, name, file), 1e9, 1e9)
    }
  }
  const stage: () => ServerStage = shareStage(fill, { page: BUILT_PAGE })
  return () => ({
    address: stage().server.address,
    server: stage(),
    key: sessionId => stage().key(sessionId),
    read: (name, file) => readFileSync(join(stage().home, PLACE, name, file), 'utf8'),
    names: () => readdirSync(join(stage().home, PLACE)).sort(),
  })
}

export const DAMAGED_EVENTS = { 'events.json': BAD_EVENTS }
export const DAMAGED_FLAGS = { 'init_config.json': '{"assistant": {' }
