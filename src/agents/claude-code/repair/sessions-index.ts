// sessions-index.json: the list from which some versions let a person choose a session. These versions stop
// writing it but still read it, so newer sessions are missing from it. Resuming by id never needs it. Earlier
// versions heal it themselves, later versions have no index.
import { dirname, sep } from 'node:path'
import { parseJson } from '../../../bytes/json.ts'
import { exists, identityOf, listFolder, readOptionalFile, statPath } from '../../../disk/files/read.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { IndexProblem, LogView } from '../../repair.ts'
import { asArray, asObject, asText } from '../../stores/values.ts'

export const INDEX_NAME = 'sessions-index.json'
/** The versions reported to read it without updating it. */
const TRUSTED_FROM = [2, 1, 26]
const TRUSTED_BEFORE = [2, 1, 89]
/** The agent adds a session when the next one starts, so the newest is never in the index. */
const SLACK_MS = 60_000

export function indexFileOf({ filePath }: SessionRef): string {
  // Asked for each session of a check.
  return filePath.slice(0, filePath.lastIndexOf(sep) + 1) + INDEX_NAME
}

export function checkIndex(session: SessionRef, log: LogView): IndexProblem[] {
  if (!hasConversation(log.index) || !isMissingFromIndex(session, log.installedVersion ?? log.index.version)) return []
  const file = indexFileOf(session)
  return [
    {
      file,
      text: `${INDEX_NAME} does not list this session, so Claude Code does not offer it for resuming. It can still be resumed by its id.`,
      changes: [{ type: 'remove', file, reason: WHY_REMOVED }],
      isFatal: false,
    },
  ]
}

export const WHY_REMOVED = `Move ${INDEX_NAME} to the vault; Claude Code recreates it`

/** Whether the version shows only sessions of the index, and the index should have this one and does not. */
export function isMissingFromIndex(session: SessionRef, version: string | undefined): boolean {
  if (session.subagentOf !== undefined || !isTrusted(version)) return false
  const listing = listingOf(session)
  if (listing === undefined || listing.ids.has(session.sessionId)) return false
  return listing.newestActivity > identityOf(statPath(session.filePath)).mtimeMs + SLACK_MS
}

/** The ids in the index of this session's project, if the version relies on it. */
export function idsInIndex(session: SessionRef, version: string | undefined): ReadonlySet<string> {
  return (isTrusted(version) ? listingOf(session)?.ids : undefined) ?? new Set()
}

/** A session without a conversation is never listed. */
function hasConversation(index: LogView['index']): boolean {
  for (let record = 0; record < index.length; record++)
    if (index.kind(record) === 'talk' && !index.isSidechain(record)) return true
  return false
}

interface Listing {
  key: string
  ids: Set<string>
  /**
   * The last time the index was written or another session changed. By then this session should have been
   * added.
   */
  newestActivity: number
}

/** All sessions of a project share the index. It is read once as long as it does not change. */
const known = new Map<string, Listing>()
const MAX_KNOWN = 256

function listingOf(session: SessionRef): Listing | undefined {
  const file = indexFileOf(session)
  if (!exists(file)) return undefined
  const { key, mtimeMs } = identityOf(statPath(file))
  const before = known.get(file)
  if (before?.key === key) return before
  const bytes = readOptionalFile(file, session.storeRoot)
  if (bytes === undefined) return undefined
  if (known.size >= MAX_KNOWN) known.clear()
  const listing = { key, ids: idsIn(bytes), newestActivity: Math.max(mtimeMs, newestIn(dirname(file))) }
  known.set(file, listing)
  return listing
}

function idsIn(bytes: Buffer): Set<string> {
  const entries = asArray(asObject(parseJson(bytes))?.['entries']) ?? []
  return new Set(entries.flatMap(entry => asText(asObject(entry)?.['sessionId']) ?? []))
}

function newestIn(folder: string): number {
  const times = listFolder(folder)
    .filter(({ name, isFolder, isLink }) => !isFolder && !isLink && name.endsWith('.jsonl'))
    .map(({ path }) => identityOf(statPath(path)).mtimeMs)
  return times.reduce((newest, time) => Math.max(newest, time), 0)
}

/** Most sessions of one check have the same version as the one before. */
let last: { version: string | undefined; isTrusted: boolean } | undefined

function isTrusted(version: string | undefined): boolean {
  if (last === undefined || last.version !== version) last = { version, isTrusted: isInRange(version) }
  return last.isTrusted
}

function isInRange(version: string | undefined): boolean {
  const numbers = /^(\d+)\.(\d+)\.(\d+)/
    .exec(version ?? '')
    ?.slice(1)
    .map(Number)
  return numbers !== undefined && !isBefore(numbers, TRUSTED_FROM) && isBefore(numbers, TRUSTED_BEFORE)
}

function isBefore(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((number, place) => number !== other[place])
  return at !== -1 && (one[at] ?? 0) < (other[at] ?? 0)
}
