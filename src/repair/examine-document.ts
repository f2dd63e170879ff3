// Examines one JSON document: what the damages find, what they would do, and, by looking at the document as it would then be, what the agent would load.
import type { DocumentMend } from '../agents/mend.ts'
import { readDocument } from '../bytes/document.ts'
import { Pieces } from '../bytes/edits.ts'
import type { DocumentDamage, DocumentSubject } from '../damage/damage.ts'
import { isUsable, outlineOf } from '../damage/documents.ts'
import { quote } from '../disk/errors.ts'
import type { OpenFile } from '../disk/read.ts'
import { CHUNK_BYTES, openFile } from '../disk/read.ts'
import { RethreadError } from '../model/errors.ts'
import { Findings } from '../model/finding.ts'
import type { ByteEdit, Change, Refusal } from '../model/plan.ts'
import { isPatch } from '../model/plan.ts'
import type { Examination, Examine } from './examination.ts'
import { mergeEdits } from './merge-edits.ts'

/** Cures can uncover what other damages hid; after so many rounds what is left is told and not mended. */
const MAX_ROUNDS = 4

export const examineDocument: Examine<'json-document'> = async (session, traits, mend, damages, { isLive }) => {
  const file = openFile(session.filePath, session.storeRoot)
  try {
    if (file.identity.size === 0) throw emptyDocument(session.filePath)
    const concerned = damages.filter(damage => damage.concerns(traits, mend))
    const look = (view: View): DocumentSubject => ({ session, traits, mend, isLive, bytes: bytesOf(view, file) })
    const work = new Work(session.filePath)
    let view: View = Pieces.whole<ByteEdit>(file.identity.size)
    const first = look(view)
    let subject = first
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const edits = await work.add(subject, concerned, view)
      if (edits.length === 0) break
      view = view.edit(edits)
      subject = look(view)
    }
    return conclude(first, subject, view, work)
  } finally {
    file.close()
  }
}

type View = Pieces<ByteEdit>

function bytesOf(view: View, file: OpenFile): DocumentSubject['bytes'] {
  return {
    size: view.size,
    range(start, end) {
      const bytes = Buffer.concat([...view.chunks(start, end, (from, to) => file.chunks(from, to))])
      if (bytes.length < Math.min(end, view.size) - start) throw shrunk(file.path, start + bytes.length)
      return bytes
    },
  }
}

/** What was found and planned so far, over all rounds. */
class Work {
  readonly findings = new Findings()
  readonly refusals: Refusal[] = []
  readonly #path: string
  readonly #known = new Set<string>()

  constructor(path: string) {
    this.#path = path
  }

  /** One round: gives the edits that can be made at once. */
  async add(subject: DocumentSubject, damages: readonly DocumentDamage[], view: View): Promise<ByteEdit[]> {
    const edits: ByteEdit[] = []
    for (const damage of damages) {
      const detected = await damage.detect(subject)
      if (detected.length === 0) continue
      for (const { finding } of detected) {
        const at = 'start' in finding.at ? inFile(finding.at, view) : finding.at
        if (this.#isNew(`${finding.damage} ${JSON.stringify(at)}`)) this.findings.add({ ...finding, at })
      }
      const planned = damage.plan(subject, detected)
      edits.push(...planned.changes.filter(isPatch).flatMap(patch => patch.edits))
      for (const { reason } of planned.refused) this.refuse(damage.id, reason)
    }
    return mergeEdits(edits)
  }

  refuse(damage: string, reason: string): void {
    if (this.#isNew(`refused ${damage} ${reason}`)) this.refusals.push({ damage, reason, file: this.#path })
  }

  #isNew(key: string): boolean {
    if (this.#known.has(key)) return false
    this.#known.add(key)
    return true
  }
}

function inFile<At extends { start: number; end: number }>(at: At, view: View): At {
  const start = view.toFile(at.start)
  return { ...at, start, end: at.end > at.start ? Math.max(start, view.toFile(at.end - 1) + 1) : start }
}

function conclude(first: DocumentSubject, last: DocumentSubject, view: View, work: Work): Examination {
  const messageCount = countMessages(first)
  const now = isUsable(first) ? messageCount : 0
  // An edit that does not make the agent read the document is of no use to anybody.
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

const STILL_UNUSABLE = 'Left as it is: the agent could not read the document after that either.'

function patchOf({ session }: DocumentSubject, view: View): Change {
  const edits = view.changes().map(({ start, end, bytes, edits }): ByteEdit => {
    const reasons = [...new Set(edits.map(edit => edit.reason))].join('; ')
    return { start, end, bytes, damage: edits[0]?.damage ?? '', reason: reasons }
  })
  return { type: 'patch', file: session.filePath, edits }
}

/** As many as can be read, whether or not the agent could. */
function countMessages(subject: { bytes: DocumentSubject['bytes']; mend: DocumentMend }): number {
  const { list } = outlineOf(subject)
  if (list === undefined) return 0
  const count = subject.mend.counter()
  let messages = 0
  for (const item of readDocument(chunksOf(subject.bytes), { elements: list.name, fields: [] }))
    if (item.type === 'element') messages += count(item.value)
  return messages
}

function* chunksOf({ size, range }: DocumentSubject['bytes']): Generator<Buffer, void, void> {
  for (let at = 0; at < size; at += CHUNK_BYTES) yield range(at, Math.min(size, at + CHUNK_BYTES))
}

function emptyDocument(path: string): RethreadError {
  return new RethreadError({
    code: 'empty-file',
    text: `${path} is empty: nothing was ever written to it, or what was written is lost.`,
    hint: `Look for a copy beside it: ls -la ${quote(path)}*`,
    path,
    offset: 0,
  })
}

function shrunk(path: string, offset: number): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: `${path} became shorter while it was read.`,
    hint: 'Another program is rewriting it. Try again in a moment.',
    path,
    offset,
  })
}
