// `list --json` of all sessions. The row of a session that has not changed since the last list is printed again.
import type { Context } from '../../catalog/context.ts'
import type { ListedSession, ListOptions } from '../../catalog/list.ts'
import type { FolderStates } from '../../catalog/project-folder.ts'
import { SUMMARIES } from '../../catalog/summaries-table.ts'
import { exists } from '../../disk/files/read.ts'
import { readLabels } from '../../disk/state/labels.ts'
import { hasCacheTable } from '../../disk/state/state.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import { VERDICTS } from '../../repair/verdicts/last-verdicts.ts'
import { RULES_VERSION } from '../../repair/verdicts/rules-version.ts'
import { openVerdicts, type Verdicts } from '../../repair/verdicts/verdict-cache.ts'
import type { Invocation } from '../command.ts'
import { type ExitStatus, exitOfFailures } from '../exit-status.ts'
import { isStderrTerminal } from '../print/stderr.ts'
import { version } from '../version.ts'
import { conditionOf } from './conditions.ts'
import { type KeptRow, keepRows } from './keep.ts'
import { findKnown, type KnownRows, type RowsOf } from './known.ts'
import { type MadeRow, mergeRows, textOf } from './merge.ts'
import { printTexts, rowText } from './print.ts'

/** Raise it whenever a row is printed in another way or from something else. */
const ROWS_VERSION = 1
/** Fewer verdicts are read one by one. */
const MIN_LOADED = 200
/** The kinds of rows. */
const PRINTED = 0
const WITHOUT_CONVERSATION = 1

/** Another version may print another text, and by other rules. */
export function rowsOfList({ environment }: Pick<Context, 'environment'>): RowsOf {
  return { maker: `${ROWS_VERSION} ${version()} ${RULES_VERSION}`, key: `list ${environment.home}` }
}

/** Undefined where nothing is known yet, or the rows depend on more than what is compared here. */
export async function listKnown(
  invocation: Invocation,
  context: Context,
  options: ListOptions,
): Promise<ExitStatus | undefined> {
  // The first list reads everything, and is not slowed down for the next.
  if (!hasCacheTable(context.state, SUMMARIES)) return undefined
  const labels = labelsIn(context)
  if (labels === undefined || exists(context.archive)) return undefined
  const rows = rowsOfList(context)
  let known: KnownRows | undefined
  const verdicts = hasCacheTable(context.state, VERDICTS) ? openVerdicts(context.state) : undefined
  try {
    const isLabelled = labels.entries.size === 0 ? undefined : (one: SessionKey) => labels.get(one) !== undefined
    known = await findKnown(context, rows, verdicts, isLabelled)
    if (known === undefined) return undefined
    const { file, found, matched, mark } = known
    const { made, hidden, withoutConversation, failures } = await listOthers(context, known, verdicts, options)
    const merged = mergeRows(file, matched.isKnown, made)
    await printTexts(invocation.output, file, textOf(file, merged, made), {
      failures,
      withoutConversation: withoutConversation + countKnown(known, WITHOUT_CONVERSATION),
      more: 0,
      hidden,
    })
    if (mark !== undefined && made.some(row => 'condition' in row))
      keepRows(context.state, rows, mark, { file, groups: found.groups, matched, merged, made })
    return exitOfFailures(failures)
  } finally {
    known?.file?.close()
    verdicts?.close()
  }
}

type SessionKey = Pick<SessionRef, 'agent' | 'sessionId'>

/** Undefined for damaged labels, which are reported in the usual way. */
function labelsIn({ state }: Context): ReturnType<typeof readLabels> | undefined {
  try {
    return readLabels(state)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return undefined
  }
}

function countKnown({ file, matched: { isKnown } }: KnownRows, kind: number): number {
  let count = 0
  for (let row = 0; row < isKnown.length; row++) if (isKnown[row] === 1 && file?.kinds[row] === kind) count++
  return count
}

/** The sessions without a row. */
async function listOthers(
  context: Context,
  { sessions, places, found: { failures } }: KnownRows,
  verdicts: Verdicts | undefined,
  options: ListOptions,
) {
  if (sessions.length === 0) return { made: [], hidden: 0, withoutConversation: 0, failures }
  const { listFound } = await import('../../catalog/list.ts')
  const { neededFolder } = await import('../../catalog/project-folder.ts')
  const { limitGarbage } = await import('../garbage.ts')
  const { makeProgress } = await import('../print/progress.ts')
  const bar = isStderrTerminal() ? makeProgress(process.stderr, 'Reading', 'sessions') : undefined
  if (sessions.length >= MIN_LOADED) verdicts?.load(true)
  const looks = new Map<SessionRef, ReturnType<Verdicts['look']>>()
  const empty: SessionRef[] = []
  const list = await listFound(
    context,
    { sessions, failures },
    {
      ...options,
      mayBlock: true,
      ...(bar === undefined ? {} : { onProgress: bar.update }),
      lastStatus(session) {
        const look = verdicts?.look(session)
        if (look !== undefined) looks.set(session, look)
        return look?.found?.verdict.status
      },
      onWithoutConversation: session => empty.push(session),
    },
  ).finally(limitGarbage())
  bar?.clear()
  const folders: FolderStates = new Map()
  /** What the next run may print again, if the session is in a file of its own and nothing about it may pass. */
  const kept = (row: MadeRow, session: SessionRef, project: string | undefined, kind: number): MadeRow | KeptRow => {
    const place = places.get(session)
    const look = looks.get(session)
    if (place === undefined || (look !== undefined && look.found === undefined && !look.isOver)) return row
    const condition = conditionOf(session, look?.found?.origin, neededFolder(context, session, project, folders))
    if (condition === undefined) return row
    return { ...row, ...place, group: place.index, condition, bytes: 0, kind, count: 0 }
  }
  const byKey = new Map(sessions.map(session => [keyOf(session), session]))
  const made = list.sessions.map(listed => {
    const session = byKey.get(keyOf(listed))
    const row = { order: listed.updatedAt, time: session?.updatedAt ?? 0, id: listed.sessionId, text: rowText(listed) }
    return session === undefined || isPassing(listed) ? row : kept(row, session, listed.project ?? undefined, PRINTED)
  })
  for (const session of empty) {
    const { updatedAt: time, sessionId: id } = session
    const row = { order: new Date(time).toISOString(), time, id, text: Buffer.alloc(0) }
    made.push(kept(row, session, undefined, WITHOUT_CONVERSATION))
  }
  const { hidden, withoutConversation } = list
  return { made, hidden, withoutConversation, failures: list.failures }
}

/** A label is the person's and not the file's; a failure may pass. */
function isPassing({ failure, originalTitle, pinned, hidden, tags }: ListedSession): boolean {
  return [failure, originalTitle, pinned, hidden, tags].some(field => field !== undefined)
}

function keyOf({ agent, sessionId, filePath }: Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>): string {
  return `${agent}\n${sessionId}\n${filePath}`
}
