// `check --json` of all sessions. Most have not changed since the last check: the row that was printed for such a
// session is printed again, and the others are checked.
import type { Context } from '../../catalog/context.ts'
import type { NeededFolder } from '../../catalog/folder-state.ts'
import { hasCacheTable } from '../../disk/state/state.ts'
import type { SessionRef } from '../../model/session.ts'
import { totalBytes } from '../../model/shared-bytes.ts'
import type { Status, Verdict } from '../../model/verdict.ts'
import { VERDICTS } from '../../repair/verdicts/last-verdicts.ts'
import { RULES_VERSION } from '../../repair/verdicts/rules-version.ts'
import { type CachedVerdict, openVerdicts, type Verdicts } from '../../repair/verdicts/verdict-cache.ts'
import type { Invocation } from '../command.ts'
import { type ExitStatus, exitOfStatuses } from '../exit-status.ts'
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
const STATUSES: readonly Status[] = ['healthy', 'corrupted', 'missing', 'unreadable', 'busy']

/** Another version may print another text, and by other rules. */
export function rowsOfCheck({ environment }: Pick<Context, 'environment'>): RowsOf {
  return { maker: `${ROWS_VERSION} ${version()} ${RULES_VERSION}`, key: `check ${environment.home}` }
}

/** Undefined where nothing is known yet: then all sessions are checked in the usual way. */
export async function checkKnown(invocation: Invocation, context: Context): Promise<ExitStatus | undefined> {
  if (!hasCacheTable(context.state, VERDICTS)) return undefined
  const rows = rowsOfCheck(context)
  let known: KnownRows | undefined
  const verdicts = openVerdicts(context.state, undefined, { isWrittenInBatches: true })
  try {
    known = await findKnown(context, rows, verdicts)
    if (known === undefined) return undefined
    const { file, found, matched, mark } = known
    const { made, checked } = await checkOthers(invocation, context, known, verdicts)
    const merged = mergeRows(file, matched.isKnown, made)
    const totals = makeTotals(checked, known)
    const { failures } = found
    await printTexts(invocation.output, file, textOf(file, merged, made), { failures, totals })
    if (mark !== undefined && made.some(row => 'condition' in row))
      keepRows(context.state, rows, mark, { file, groups: found.groups, matched, merged, made })
    return exitOfStatuses(
      STATUSES.filter(status => totals[status] > 0),
      failures,
    )
  } finally {
    known?.file?.close()
    verdicts.close()
  }
}

/** The sessions without a row. */
async function checkOthers(
  invocation: Invocation,
  context: Context,
  { sessions, places }: KnownRows,
  verdicts: Verdicts,
): Promise<{ made: (MadeRow | KeptRow)[]; checked: Verdict[] }> {
  if (sessions.length === 0) return { made: [], checked: [] }
  const { checkAll } = await import('../commands/check.ts')
  const { withFolderNotes } = await import('../../catalog/project-folder.ts')
  const cached = new Map<SessionRef, CachedVerdict>()
  const noting: Verdicts = {
    ...verdicts,
    load: areJustFound => (sessions.length < MIN_LOADED ? undefined : verdicts.load(areJustFound)),
    find(session) {
      const stored = verdicts.find(session)
      if (stored !== undefined) cached.set(session, stored)
      return stored
    },
  }
  const projects = new Map<SessionRef, string>()
  const folders = new Map<SessionRef, NeededFolder | undefined>()
  const verdictsNow = await checkAll(invocation, context, { sessions, failures: [] }, projects, noting)
  const checked = await withFolderNotes(context, sessions, verdictsNow, projects, (session, folder) =>
    folders.set(session, folder),
  )
  const made = checked.map((verdict, index): MadeRow | KeptRow => {
    const session = sessions[index]
    const row = { order: '', time: session?.updatedAt ?? 0, id: verdict.sessionId, text: rowText(verdict) }
    const place = session && places.get(session)
    const origin = session && cached.get(session)?.origin
    // One that was checked just now is kept by the next run: its verdict counts as changed until then.
    if (session === undefined || place === undefined || origin === undefined || !folders.has(session)) return row
    const condition = conditionOf(session, origin, folders.get(session))
    if (condition === undefined) return row
    const kind = STATUSES.indexOf(verdict.status)
    return {
      ...row,
      ...place,
      group: place.index,
      condition,
      bytes: verdict.fileSize,
      kind,
      count: findingsOf(verdict),
    }
  })
  return { made, checked }
}

function findingsOf({ findings, moreFindings }: Verdict): number {
  return findings.length + moreFindings
}

type Totals = Record<Status, number> & { sessions: number; findings: number; bytes: number }

function makeTotals(checked: readonly Verdict[], { file, matched: { isKnown } }: KnownRows): Totals {
  const byKind = new Float64Array(STATUSES.length)
  let sessions = checked.length
  let findings = 0
  let bytes = totalBytes(checked)
  for (const verdict of checked) {
    findings += findingsOf(verdict)
    byKind[STATUSES.indexOf(verdict.status)] = (byKind[STATUSES.indexOf(verdict.status)] ?? 0) + 1
  }
  for (let row = 0; row < isKnown.length; row++) {
    if (file === undefined || isKnown[row] !== 1) continue
    const kind = file.kinds[row] as number
    byKind[kind] = (byKind[kind] as number) + 1
    findings += file.counts[row] as number
    bytes += file.bytes[row] as number
    sessions++
  }
  const [healthy = 0, corrupted = 0, missing = 0, unreadable = 0, busy = 0] = byKind
  return { sessions, healthy, corrupted, missing, unreadable, busy, findings, bytes: Math.round(bytes) }
}
