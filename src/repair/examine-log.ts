// Examines a log: what the damages find, what they would do, and, by looking at the file as it would then be, what is left and what the agent would load.
import type { LogMend } from '../agents/mend.ts'
import { Pieces } from '../bytes/edits.ts'
import type { LogSubject } from '../damage/damage.ts'
import { emptyFile, quote, shrunkFile } from '../disk/errors.ts'
import type { OpenFile } from '../disk/read.ts'
import { CHUNK_BYTES, openFile } from '../disk/read.ts'
import { RethreadError } from '../model/errors.ts'
import type { ByteEdit, Change } from '../model/plan.ts'
import type { RecordIndex } from '../model/record-index.ts'
import type { SessionRef } from '../model/session.ts'
import { indexLog } from '../scan/index-log.ts'
import type { Examination, Examine, ExamineOptions } from './examination.ts'
import type { View } from './rounds.ts'
import { editsOf, MAX_ROUNDS, Rounds } from './rounds.ts'

export const examineLog: Examine<'json-lines'> = async (session, traits, mend, damages, options) => {
  const file = openFile(session.filePath, session.storeRoot)
  try {
    if (file.identity.size === 0) throw emptyFile(session.filePath)
    const concerned = damages.filter(damage => damage.concerns(traits, mend))
    const look = (view: View): LogSubject => makeSubject({ session, traits, mend, file, view, options })
    const work = new Rounds<LogSubject>(session.filePath)
    let view: View = Pieces.whole<ByteEdit>(file.identity.size)
    const first = look(view)
    if (first.index.length === 0) throw withoutRecords(session.filePath, options.isLive)
    let subject = first
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const edits = await work.add(subject, concerned, view)
      if (edits.length === 0) break
      view = view.edit(edits)
      subject = look(view)
    }
    return await conclude(first, subject, view, work, mend)
  } finally {
    file.close()
  }
}

interface Making {
  session: SessionRef
  traits: LogSubject['traits']
  mend: LogMend
  file: OpenFile
  view: View
  options: ExamineOptions
}

function makeSubject({ session, traits, mend, file, view, options }: Making): LogSubject {
  const chunks = (start: number, end: number, into?: Buffer) =>
    view.chunks(start, end, (from, to) => file.chunks(from, to, into))
  const { index, junk, bytesRead } = indexLog(chunks(0, view.size, Buffer.allocUnsafe(CHUNK_BYTES)), mend)
  if (bytesRead < view.size) throw shrunkFile(session.filePath, bytesRead)
  const range = (start: number, end: number): Buffer => Buffer.concat([...chunks(start, end)])
  const { installedVersion, isLive } = options
  return {
    session,
    traits,
    mend,
    index,
    visible: junk.length === 0 ? index : index.onlyWhole(),
    junk,
    bytes: { size: view.size, range },
    isLive,
    ...(installedVersion === undefined ? {} : { installedVersion }),
  }
}

async function conclude(
  first: LogSubject,
  last: LogSubject,
  view: View,
  work: Rounds<LogSubject>,
  mend: LogMend,
): Promise<Examination> {
  const now = mend.load(first)
  const afterRepair = last === first ? now : mend.load(last)
  const edits = editsOf(view, first.bytes.range)
  return {
    findings: work.findings.list,
    moreFindings: work.findings.beyondLimit,
    changes: [...(await logChanges(first, edits, mend)), ...work.others],
    refusals: work.refusals,
    loads: {
      now: work.isFatalNow ? 0 : now.messages,
      afterRepair: work.isFatalAfter ? 0 : afterRepair.messages,
    },
    chainDepth: now.depth,
    orphanCount: countOrphans(first.index),
    messageCount: countMessages(first.index),
  }
}

async function logChanges({ session }: LogSubject, edits: ByteEdit[], mend: LogMend): Promise<Change[]> {
  const [firstEdit] = edits
  if (firstEdit === undefined) return []
  const elsewhere = (await mend.afterEdit?.(session, firstEdit.start)) ?? []
  return [{ type: 'patch', file: session.filePath, edits }, ...elsewhere]
}

function countOrphans(index: RecordIndex): number {
  let orphans = 0
  for (let record = 0; record < index.length; record++) if (index.isOrphan(record)) orphans++
  return orphans
}

/** Several records of one group are one message. */
function countMessages(index: RecordIndex): number {
  const groups = new Set<number>()
  let alone = 0
  for (let record = 0; record < index.length; record++) {
    if (index.kind(record) !== 'talk' || index.isSuperseded(record) || index.isMeta(record)) continue
    const group = index.group(record)
    if (group === undefined) alone++
    else groups.add(group)
  }
  return alone + groups.size
}

/** Nothing that a repair could keep: whatever it was, it is left as it is. */
function withoutRecords(path: string, isLive: boolean): RethreadError {
  return new RethreadError({
    code: isLive ? 'busy' : 'not-a-session',
    text: isLive ? `The first record of ${path} is still being written.` : `${path} holds no record that can be read.`,
    hint: isLive ? 'Try again in a moment.' : `See the bytes: rethread show --raw ${quote(path)}`,
    path,
  })
}
