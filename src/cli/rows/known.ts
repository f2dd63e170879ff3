// The rows of an earlier run, for commands that print all sessions.
import { pathOf } from '../../agents/stores/list-folders.ts'
import type { Context } from '../../catalog/context.ts'
import { type FileGroup, type FoundFiles, findFiles } from '../../catalog/find-files.ts'
import { type OpenRowFile, openRowFile } from '../../disk/state/row-file.ts'
import type { Failure } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Verdicts } from '../../repair/verdicts/verdict-cache.ts'
import { makeIsMet } from './conditions.ts'
import { type Matched, matchRows } from './match.ts'

/** Where rows of one command are kept, and what made them. */
export interface RowsOf {
  key: string
  maker: string
}

/** The caller must close the file. */
export interface KnownRows {
  file: OpenRowFile | undefined
  found: FoundFiles
  matched: Matched
  /** The sessions without a row, newest first, and where those are that can get one. */
  sessions: SessionRef[]
  places: ReadonlyMap<SessionRef, Matched['missing'][number]>
  /** For the rows that are kept now. Undefined where none can be kept. */
  mark: string | undefined
}

/** The mark of rows from a time when nothing had been checked. */
const UNCHECKED = 'unchecked'

/** Undefined where files do not identify the sessions. */
export async function findKnown(
  context: Context,
  { key, maker }: RowsOf,
  verdicts: Pick<Verdicts, 'mark' | 'changedSince'> | undefined,
  isLabelled?: (session: Pick<SessionRef, 'agent' | 'sessionId'>) => boolean,
): Promise<KnownRows | undefined> {
  // First of all: what is set from here on counts as changed for the rows that are kept now.
  const mark = verdicts === undefined ? UNCHECKED : verdicts.mark()
  const stored = openRowFile(context.state, key, maker)
  const changed = stored === undefined ? undefined : changedPaths(stored.mark, verdicts)
  const found = await findFiles(context)
  if (found === undefined || changed === undefined) stored?.close()
  if (found === undefined) return undefined
  const file = changed === undefined ? undefined : stored
  const isOutdated = makeIsOutdated(changed, isLabelled)
  const matched = matchRows(file, found.groups, { isMet: makeIsMet(context), isOutdated })
  const sessions = [...found.sessions]
  const places = new Map<SessionRef, Matched['missing'][number]>()
  for (const one of matched.missing) {
    const session = one.group.find(one.place)
    if (isFailure(session)) found.failures.push(session)
    else {
      sessions.push(session)
      places.set(session, one)
    }
  }
  sessions.sort((a, b) => b.updatedAt - a.updatedAt || (a.sessionId < b.sessionId ? -1 : 1))
  return { file, found, matched, sessions, places, mark }
}

function isFailure(found: SessionRef | Failure): found is Failure {
  return !('filePath' in found)
}

/** Undefined where it is not known. */
function changedPaths(
  mark: string,
  verdicts: Pick<Verdicts, 'changedSince'> | undefined,
): ReadonlySet<string> | undefined {
  if (verdicts === undefined) return mark === UNCHECKED ? new Set() : undefined
  const changed = mark === UNCHECKED ? undefined : verdicts.changedSince(mark)
  return changed && new Set(changed.map(({ filePath }) => filePath))
}

function makeIsOutdated(
  changed: ReadonlySet<string> | undefined,
  isLabelled: ((session: Pick<SessionRef, 'agent' | 'sessionId'>) => boolean) | undefined,
): ((group: FileGroup, place: number) => boolean) | undefined {
  if ((changed === undefined || changed.size === 0) && isLabelled === undefined) return undefined
  return ({ agent, files: { folder, names, suffix } }, place) => {
    const name = names[place] ?? ''
    if (changed?.has(pathOf(folder, name)) === true) return true
    return isLabelled?.({ agent, sessionId: name.slice(0, -suffix.length) }) === true
  }
}
