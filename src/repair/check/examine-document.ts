// Examines one JSON document: what the damage classes find, what they would change, and what the agent would
// load of the document after these changes.
import { withKernel } from '../../agents/stores/prove-lines.ts'
import { Pieces } from '../../bytes/edits.ts'
import { readSalvaged } from '../../bytes/salvage/read.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import { openFile } from '../../disk/files/read.ts'
import { emptyFile, shrunkFile } from '../../disk/files/system-errors.ts'
import type { ByteEdit, Change } from '../../model/plan.ts'
import type { DocumentSubject } from '../damage/damage.ts'
import { isUsable, planOf } from '../damage/shared/documents.ts'
import type { Examination, Examine } from './examination.ts'
import type { FileView } from './rounds.ts'
import { editsOfView, MAX_ROUNDS, Rounds } from './rounds.ts'

export const examineDocument: Examine<'json-document'> = async (session, traits, repair, damages, { isLive }) => {
  const file = openFile(session.filePath, session.storeRoot)
  try {
    if (file.identity.size === 0) throw emptyFile(session.filePath)
    const applicable = damages.filter(damage => damage.appliesTo(traits, repair))
    const makeSubject = (view: FileView): DocumentSubject => ({
      session,
      traits,
      repair,
      isLive,
      bytes: bytesOf(view, file),
    })
    const work = new Rounds<DocumentSubject>(session.filePath)
    let view: FileView = Pieces.whole<ByteEdit>(file.identity.size)
    const first = makeSubject(view)
    let subject = first
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const edits = await work.add(subject, applicable, view)
      if (edits.length === 0) break
      view = view.edit(edits)
      subject = makeSubject(view)
    }
    return conclude(first, subject, view, work)
  } finally {
    file.close()
  }
}

function bytesOf(view: FileView, file: OpenFile): DocumentSubject['bytes'] {
  const isEdited = view.changes().length > 0
  return withKernel({
    size: view.size,
    range(start, end, into) {
      const bytes = isEdited
        ? Buffer.concat([...view.chunks(start, end, (from, to) => file.chunks(from, to))])
        : file.range(start, Math.min(end, view.size), into)
      if (bytes.length < Math.min(end, view.size) - start) throw shrunkFile(file.path, start + bytes.length)
      return bytes
    },
  })
}

function conclude(
  first: DocumentSubject,
  last: DocumentSubject,
  view: FileView,
  work: Rounds<DocumentSubject>,
): Examination {
  const messageCount = countMessages(first)
  const now = isUsable(first) ? messageCount : 0
  // Edits are dropped where the agent could still not read the document.
  const isOfUse = last !== first && isUsable(last)
  if (last !== first && !isOfUse) work.refuse(work.findings.list[0]?.damage ?? '', STILL_UNUSABLE)
  return {
    findings: work.findings.list,
    moreFindings: work.findings.beyondLimit,
    changes: isOfUse ? [patchOf(first, view)] : [],
    refusals: work.refusals,
    loads: { now, afterRepair: isOfUse ? countMessages(last) : now },
    chainDepth: now,
    orphanCount: 0,
    messageCount,
  }
}

const STILL_UNUSABLE = 'Not repaired: the agent could not read the document after that either.'

function patchOf({ session, bytes }: DocumentSubject, view: FileView): Change {
  return { type: 'patch', file: session.filePath, edits: editsOfView(view, bytes.range) }
}

/** Counts the messages that rethread can read, whether or not the agent can. */
function countMessages(subject: DocumentSubject): number {
  const plan = planOf(subject)
  if (!plan.hasList) return 0
  const count = subject.repair.counter()
  let messages = 0
  for (const item of readSalvaged(subject.bytes, plan, [])) if (item.type === 'element') messages += count(item.value)
  return messages
}
