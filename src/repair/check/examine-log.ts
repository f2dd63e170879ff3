// Examines a log: what the damage classes find and what they would change. The file as it would be after the
// edits is examined again: what is left, and what the agent would load.
import { setImmediate } from 'node:timers/promises'
import type { LogRepair, ShownMessages } from '../../agents/repair.ts'
import type { Traits } from '../../agents/store.ts'
import { Pieces } from '../../bytes/edits.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import { openFile } from '../../disk/files/read.ts'
import { emptyFile, quote, shrunkFile } from '../../disk/files/system-errors.ts'
import { RethreadError } from '../../model/errors.ts'
import type { ByteEdit, Change } from '../../model/plan.ts'
import type { SessionRef } from '../../model/session.ts'
import type { LogDamage, LogSubject } from '../damage/damage.ts'
import type { RecordIndex } from '../records/record-index.ts'
import { NAMES_PARENT, NONE } from '../records/record-index.ts'
import { chooseScanner } from '../scan/choose-scanner.ts'
import { editScanned } from '../scan/edit-index.ts'
import type { ScannedLog } from '../scan/scan-log.ts'
import { indexLog } from '../scan/scan-log.ts'
import { RULES_VERSION } from '../verdicts/rules-version.ts'
import type { Examination, Examine, ExamineOptions } from './examination.ts'
import type { Reach } from './reach.ts'
import { countCopies, countTalk, describeMismatch, NO_KNOWN_REPAIR, reachesAll, reachOf, readShown } from './reach.ts'
import type { FileView, FoundByClass } from './rounds.ts'
import { detectAll, editsOfView, MAX_ROUNDS, Rounds } from './rounds.ts'

export const examineLog: Examine<'json-lines'> = async (session, traits, repair, damages, options) => {
  const file = options.file ?? openFile(session.filePath, session.storeRoot)
  try {
    if (file.identity.size === 0) throw emptyFile(session.filePath)
    options.onOpen?.(file)
    const applicable = applicableTo(damages, traits, repair)
    const examination: LogExamination = {
      session,
      traits,
      repair,
      file,
      options,
      applicable: applicable,
      rounds: new Rounds<LogSubject>(session.filePath, options.onEdit),
    }
    let view: FileView = Pieces.whole<ByteEdit>(file.identity.size)
    const subject = await makeSubject(examination, view, [])
    if (subject.index.length === 0) throw withoutRecords(session.filePath, options.isLive)
    // Of such a log, few are left as they are.
    if (subject.junk.length > 0 || countOrphans(subject.index) > 0) examination.rounds.expectEdits()
    const found = await detectAll(subject, applicable)
    const healthy = found.length === 0 ? concludeHealthy(subject) : undefined
    if (healthy !== undefined) return healthy
    const first = await runRound(examination, view, 0, subject, found)
    let last = first
    for (let round = 1; last.edits.length > 0; round++) {
      view = view.edit(last.edits)
      // So that an interrupt is noticed.
      await setImmediate()
      last = await runRound(examination, view, round, await makeSubject(examination, view, last.edits))
    }
    return await conclude(examination, view, first, last)
  } finally {
    if (file !== options.file) file.close()
  }
}

interface LogExamination {
  session: SessionRef
  traits: LogSubject['traits']
  repair: LogRepair
  file: OpenFile
  options: ExamineOptions
  applicable: readonly LogDamage[]
  rounds: Rounds<LogSubject>
  /** The messages a person sees, where they had to be found. */
  shown?: ShownMessages
  /** The last round's index of a log without broken lines, and its bytes. */
  before?: (ScannedLog & { bytes: LogSubject['bytes'] }) | undefined
}

interface RoundResult {
  /** The edits to make before the next round; empty in the last round. */
  edits: ByteEdit[]
  messages: number
  sent: number
  depth: number
  orphanCount: number
  /** Undefined where every message is reached, so that nothing needs to be compared. */
  reach?: Reach
  messageCount: number
  /** Nothing was found, and every message is reached. */
  isHealthy?: boolean
}

const NOTHING = Buffer.alloc(0)

/** Asked for each session, and the same for all of a store. */
const known = new WeakMap<LogRepair, { traits: Traits; damages: readonly LogDamage[]; applicable: LogDamage[] }>()

export function applicableTo(damages: readonly LogDamage[], traits: Traits, repair: LogRepair): readonly LogDamage[] {
  const before = known.get(repair)
  if (before?.traits === traits && before.damages === damages) return before.applicable
  const applicable = damages.filter(damage => damage.appliesTo(traits, repair))
  known.set(repair, { traits, damages, applicable })
  return applicable
}

/** Most logs are healthy: no class finds anything, and every message is reached. Undefined for others. */
export function concludeHealthy(subject: LogSubject): Examination | undefined {
  const { index, junk, repair } = subject
  if (junk.length > 0) return undefined
  const loaded = repair.load(subject)
  if (!reachesAll(index, loaded)) return undefined
  const { messages, depth, sent = messages } = loaded
  return {
    findings: [],
    moreFindings: 0,
    changes: [],
    refusals: [],
    loads: { now: messages, afterRepair: messages },
    chainDepth: depth,
    orphanCount: countOrphans(index),
    messageCount: messages,
    ...(sent === messages ? undefined : { sent: { now: sent, afterRepair: sent } }),
  }
}

async function runRound(
  examination: LogExamination,
  view: FileView,
  round: number,
  subject: LogSubject,
  found?: FoundByClass,
): Promise<RoundResult> {
  const next = round < MAX_ROUNDS ? await examination.rounds.add(subject, examination.applicable, view, found) : []
  if (round > 0 && next.length > 0)
    return { edits: next, messages: 0, sent: 0, depth: 0, orphanCount: 0, messageCount: 0 }
  const loaded = examination.repair.load(subject)
  const { messages, depth, sent = messages } = loaded
  const known = { edits: next, messages, sent, depth, orphanCount: countOrphans(subject.index) }
  const isWhole = subject.junk.length === 0 && reachesAll(subject.index, loaded)
  if (examination.shown === undefined && isWhole) return { ...known, messageCount: messages }
  const { read } = examination.options
  if (read === undefined) return { ...known, messageCount: countTalk(subject.index) }
  // The index of a later round describes the edited file.
  examination.shown ??= round === 0 && subject.junk.length === 0 ? examination.repair.findShown?.(subject) : undefined
  examination.shown ??= await readShown(read(), examination.file.identity.size)
  const reach = reachOf(examination.shown, loaded, subject.visible, view, examination.rounds.findings.list)
  const loadedMessages = round === 0 ? reach.loaded + reach.extra : messages
  const isHealthy = isWhole && round < MAX_ROUNDS && examination.rounds.isClean
  return { ...known, messages: loadedMessages, messageCount: examination.shown.starts.length, reach, isHealthy }
}

/** From here on, the memory of an index counts more than the time to make its tables again. */
const MANY_RECORDS = 200_000

/** `edits` lead from the view of the last round to this one. */
async function makeSubject(
  examination: LogExamination,
  view: FileView,
  edits: readonly ByteEdit[],
): Promise<LogSubject> {
  const { session, traits, repair, file, options } = examination
  const scanned = editBefore(examination, edits) ?? (await scanView(examination, view))
  const { index, junk, readUpTo } = scanned.log
  if (readUpTo < view.size) throw shrunkFile(session.filePath, readUpTo)
  if (index.length >= MANY_RECORDS) index.rows.releaseTables()
  const isAsRead = edits.length === 0
  const range = (start: number, end: number, into?: Buffer): Buffer => {
    // Several pieces would overwrite each other.
    const read = (from: number, to: number): Buffer[] => [file.range(from, to, isAsRead ? into : undefined)]
    const [first = NOTHING, ...others] = view.chunks(start, end, read)
    return others.length === 0 ? first : Buffer.concat([first, ...others])
  }
  const bytes = { size: view.size, range }
  examination.before = junk.length === 0 ? { ...scanned, bytes } : undefined
  const { installedVersion, isLive } = options
  return {
    session,
    traits,
    repair,
    index,
    visible: junk.length === 0 ? index : index.onlyWhole(),
    junk,
    bytes,
    isLive,
    ...(installedVersion === undefined ? {} : { installedVersion }),
  }
}

/**
 * The index of the last round with the edits since, unless that takes a scan. Otherwise it is released before the scan
 * builds another: the index of a long log is large.
 */
function editBefore(examination: LogExamination, edits: readonly ByteEdit[]): ScannedLog | undefined {
  const { before, repair } = examination
  examination.before = undefined
  if (before === undefined || edits.length === 0) return undefined
  return editScanned(before, edits, before.bytes.range, repair.describe)
}

async function scanView(examination: LogExamination, view: FileView): Promise<ScannedLog> {
  const cached = await indexWithCache(examination, view)
  if (cached !== undefined) return cached
  const { file, repair } = examination
  const scanner = chooseScanner()
  const buffer = scanner.chunkBuffer()
  const chunks = view.chunks(0, view.size, (from, to) => file.chunks(from, to, buffer))
  return { log: indexLog(chunks, repair, scanner), resume: undefined }
}

/**
 * Caches the index of a long log as it is on disk. The log with edits applied is examined only once, so it is
 * not cached.
 */
async function indexWithCache(
  {
    session,
    repair,
    file,
    options: { indexCache, onEdit },
  }: Pick<LogExamination, 'session' | 'repair' | 'file' | 'options'>,
  view: FileView,
): Promise<ScannedLog | undefined> {
  if (indexCache === undefined || view.changes().length > 0 || file.identity.size < indexCache.fromBytes)
    return undefined
  const { indexFileInThreads } = await import('../scan/scan-file.ts')
  // A repair changes the log. What it makes of it is most often plain, and needs no index.
  const isOnlyRead = onEdit !== undefined
  return await indexFileInThreads(file, session, repair, { ...indexCache, rules: RULES_VERSION, isOnlyRead })
}

async function conclude(
  examination: LogExamination,
  view: FileView,
  first: RoundResult,
  last: RoundResult,
): Promise<Examination> {
  const { repair, session, rounds, file, shown } = examination
  const edits = editsOfView(view, (start, end) => file.range(start, end))
  noteMismatch(session, rounds, first, last)
  const loads = {
    now: rounds.isFatalNow ? 0 : first.messages,
    afterRepair: rounds.isFatalAfter ? 0 : last.messages,
  }
  // Where every record is reached before and after, whatever is fewer afterwards was there twice.
  const copies =
    shown === undefined
      ? Math.max(0, rounds.findings.lost > 0 ? 0 : first.messageCount - last.messages)
      : countCopies(shown, edits, rounds.findings.list)
  const isSentApart = first.sent !== first.messages || last.sent !== last.messages
  const changes = [...(await logChanges(session, edits, repair)), ...rounds.others]
  const afterwards =
    changes.length === 1 && last.isHealthy === true ? foundAfterwards(examination, view, last) : undefined
  return {
    findings: rounds.findings.list,
    moreFindings: rounds.findings.beyondLimit,
    changes,
    refusals: rounds.refusals,
    loads,
    ...(first.reach === undefined || first.reach.notLoaded.length === 0 ? {} : { notLoaded: first.reach.notLoaded }),
    ...(copies === 0 ? {} : { copies }),
    ...(isSentApart ? { sent: { now: first.sent, afterRepair: last.sent } } : {}),
    chainDepth: first.depth,
    orphanCount: first.orphanCount,
    messageCount: first.messageCount,
    ...(afterwards === undefined ? {} : { afterwards }),
  }
}

/** Undefined unless the checksum of the edited log is known, and nothing in it depends on the time. */
function foundAfterwards(
  { before, options }: LogExamination,
  view: FileView,
  { messages, sent, depth, orphanCount }: RoundResult,
): Examination['afterwards'] {
  if (before?.resume?.offset !== view.size || options.isLive) return undefined
  const found = {
    findings: [],
    moreFindings: 0,
    changes: [],
    refusals: [],
    loads: { now: messages, afterRepair: messages },
    ...(sent === messages ? {} : { sent: { now: sent, afterRepair: sent } }),
    chainDepth: depth,
    orphanCount,
    messageCount: messages,
  }
  return { found, sum: { size: view.size, checksum: before.resume.checksum } }
}

/**
 * Reports what a resume would not reach, or would load twice, after everything that was found is repaired.
 */
function noteMismatch(
  { filePath }: SessionRef,
  rounds: Rounds<LogSubject>,
  first: RoundResult,
  last: RoundResult,
): void {
  if (last.reach === undefined || rounds.isFatalAfter || rounds.findings.updating > 0) return
  const finding = describeMismatch(last.reach, first.messageCount, filePath)
  if (finding === undefined) return
  rounds.findings.add(finding)
  rounds.refuse(finding.damage, NO_KNOWN_REPAIR)
}

async function logChanges(session: SessionRef, edits: ByteEdit[], repair: LogRepair): Promise<Change[]> {
  const [firstEdit] = edits
  if (firstEdit === undefined) return []
  const inOtherFiles = (await repair.afterEdit?.(session, firstEdit.start)) ?? []
  return [{ type: 'patch', file: session.filePath, edits }, ...inOtherFiles]
}

function countOrphans({ flags, parents }: RecordIndex): number {
  let orphans = 0
  for (let record = 0; record < flags.length; record++)
    if (((flags[record] ?? 0) & NAMES_PARENT) !== 0 && parents[record] === NONE) orphans++
  return orphans
}

/** The file holds nothing that a repair could keep, so it stays as it is. */
function withoutRecords(path: string, isLive: boolean): RethreadError {
  return new RethreadError({
    code: isLive ? 'busy' : 'not-a-session',
    text: isLive ? `The first record of ${path} is still being written.` : `${path} contains no readable record.`,
    hint: isLive ? 'Try again in a moment.' : `See the bytes: rethread show --raw ${quote(path)}`,
    path,
  })
}
