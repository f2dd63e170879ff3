// Reads a damaged document as after its repair, with places in the present file. So what is shown is what a
// repair keeps.
import type { DocumentEnd, DocumentItem } from '../document.ts'
import { readDocument } from '../document.ts'
import type { Edit } from '../edits.ts'
import { Pieces } from '../edits.ts'
import type { DocumentBytes } from '../outline.ts'
import type { DocumentFault, DocumentPlan } from './index.ts'

const CHUNK_BYTES = 256 * 1024

/** `fields` are the names of the wanted fields. */
export function* readSalvaged(
  bytes: DocumentBytes,
  plan: DocumentPlan,
  fields: readonly string[],
): Generator<DocumentItem, DocumentEnd, void> {
  const view = Pieces.whole(bytes.size).edit(documentEdits(plan.faults))
  const chunks = view.chunks(0, view.size, (start, end) => chunksOf(bytes, start, end))
  const reading = readDocument(chunks, { elements: plan.listName, fields })
  let step = reading.next()
  for (; !step.done; step = reading.next()) yield placed(step.value, view)
  return { ...step.value, parsedUpTo: view.toFile(Math.max(0, step.value.parsedUpTo - 1)) + 1 }
}

/** All edits of a plan, sorted. At the same place, insertions come first, in their order. */
export function documentEdits(faults: readonly DocumentFault[]): Edit[] {
  return faults.flatMap(({ edits }) => edits).sort((a, b) => a.start - b.start || a.end - b.end)
}

function placed(item: DocumentItem, view: Pieces): DocumentItem {
  const start = view.toFile(item.start)
  return { ...item, start, end: Math.max(start, view.toFile(item.end - 1) + 1) }
}

function* chunksOf(bytes: DocumentBytes, start: number, end: number): Generator<Buffer, void, void> {
  for (let at = start; at < end; at += CHUNK_BYTES) yield bytes.range(at, Math.min(end, at + CHUNK_BYTES))
}
