// Runs over a throw-away workspace, for the tests of this folder.
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { sanitizer } from '../../../src/agents/jp/sanitize/index.ts'
import type {
  Decider,
  EventsDecision,
  FlagsDecision,
  NameDecision,
  SanitizeOptions,
  SanitizeReport,
} from '../../../src/agents/sanitizer.ts'
import { makeSilentDecider } from '../../../src/agents/silent-decider.ts'
import { environmentOf } from '../home.ts'
import { type Files, putConversation, putWorkspace, WHOLE } from './store.ts'

export const NAME = '17935272000-price-field-in-the-cart'
export const WORKSPACE = `shop/.jp/conversations/${NAME}`

/** One conversation, in the workspace alone. */
export function putOne(home: string, files: Files = {}, name = NAME): string {
  putWorkspace(home, { ...WHOLE, ...files }, name)
  return join(home, 'shop/.jp/conversations', name)
}

/** The same conversation in the user's data as well. */
export function putBoth(home: string, own: Files, local: Files): { own: string; local: string } {
  return { own: putOne(home, own), local: putConversation(home, { ...WHOLE, ...local }, NAME) }
}

export async function run(home: string, more: Partial<SanitizeOptions> = {}): Promise<SanitizeReport> {
  return await sanitizer.run({ ...placeIn(home), mode: 'repair', decide: makeSilentDecider(), ...more })
}

export function placeIn(home: string) {
  return { environment: environmentOf(home), state: join(home, 'state'), folder: join(home, 'shop') }
}

/** A person who always answers the same. */
export function person(
  events: (problem: Parameters<Decider['events']>[0]) => EventsDecision,
  flags: (problem: Parameters<Decider['flags']>[0]) => FlagsDecision = () => ({ type: 'skip' }),
  name: (problem: Parameters<Decider['name']>[0]) => NameDecision = () => ({ type: 'leave' }),
): Decider {
  return {
    isInteractive: true,
    announce: async () => {},
    name: async problem => name(problem),
    events: async problem => events(problem),
    flags: async problem => flags(problem),
    mayTrashMany: async () => false,
  }
}

export function linesOf(report: SanitizeReport): string[] {
  const { repaired, trashed, degraded, blocked, skipped, lockedOut, left, noticed } = report
  return [repaired, trashed, degraded, blocked, skipped, lockedOut, left, noticed].flat().map(({ line }) => line)
}

export function json(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** Every file below the folder with its bytes, links and pipes by their kind. */
export function treeOf(folder: string): Map<string, string> {
  const found = new Map<string, string>()
  if (!existsSync(folder)) return found
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const stats = lstatSync(path)
    if (stats.isFile())
      found.set(
        relative(folder, path),
        stats.size > 1e6 ? `${stats.size} bytes` : readFileSync(path).toString('latin1'),
      )
    else if (!stats.isDirectory()) found.set(relative(folder, path), stats.isSymbolicLink() ? 'link' : 'other')
  }
  return found
}

export function namesIn(folder: string): string[] {
  return readdirSync(folder).sort()
}
