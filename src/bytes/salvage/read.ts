// Reads a damaged document as after its repair, with places in the present file. So what is shown is what a
// repair keeps.
import { COMMA, SPACE } from '../ascii.ts'
import type { DocumentEnd, DocumentItem } from '../document.ts'
import { MAX_VALUE_BYTES, readDocument } from '../document.ts'
import type { Edit } from '../edits.ts'
import { Pieces } from '../edits.ts'
import { parseJson } from '../json.ts'
import type { DocumentBytes, OutlinedList } from '../outline.ts'
import type { DocumentFault, DocumentPlan } from './index.ts'

const CHUNK_BYTES = 256 * 1024

/** `fields` are the names of the wanted fields. */
export function* readSalvaged(
  bytes: DocumentBytes,
  plan: DocumentPlan,
  fields: readonly string[],
): Generator<DocumentItem, DocumentEnd, void> {
  const { list, isClean } = plan.outline
  const isPlain = isClean && plan.faults.length === 0 && list?.name === plan.listName
  if (isPlain && list?.ends !== undefined && !hasLongElement(list.begin, list.ends))
    return yield* readOutlined(bytes, { ...list, ends: list.ends }, fields)
  const view = Pieces.whole(bytes.size).edit(documentEdits(plan.faults))
  const chunks = view.chunks(0, view.size, (start, end) => chunksOf(bytes, start, end))
  const reading = readDocument(chunks, { elements: plan.listName, fields })
  let step = reading.next()
  for (; !step.done; step = reading.next()) yield placed(step.value, view)
  return { ...step.value, parsedUpTo: view.toFile(Math.max(0, step.value.parsedUpTo - 1)) + 1 }
}

/** Whether an element may be so long that it has to be skipped. */
function hasLongElement(begin: number, ends: readonly number[]): boolean {
  return ends.some((end, number) => end - (ends[number - 1] ?? begin) > MAX_VALUE_BYTES)
}

/** A clean document: its outline has the places of the elements, so only they and the bytes around the list are read. */
function* readOutlined(
  bytes: DocumentBytes,
  list: OutlinedList & { ends: readonly number[] },
  fields: readonly string[],
): Generator<DocumentItem, DocumentEnd, void> {
  const { begin, end } = list
  const toFile = (offset: number): number => (offset < begin ? offset : offset + end - begin)
  const around = readDocument(chunksAround(bytes, begin, end), { elements: list.name, fields })
  let isRead = false
  let step = around.next()
  for (; !step.done; step = around.next()) {
    if (!isRead && step.value.start >= begin && !(yield* readElements(bytes, list))) break
    isRead ||= step.value.start >= begin
    yield { ...step.value, start: toFile(step.value.start), end: toFile(step.value.end) }
  }
  const isWhole = step.done === true && (isRead || (yield* readElements(bytes, list)))
  // The file became shorter since its outline was made.
  if (step.done !== true || !isWhole) return { complete: false, parsedUpTo: begin, isDocument: true, hasElements: true }
  const parsedUpTo = Math.max(1, toFile(step.value.parsedUpTo), list.elements === 0 ? 0 : end)
  return { ...step.value, parsedUpTo }
}

function* chunksAround(bytes: DocumentBytes, from: number, to: number): Generator<Buffer, void, void> {
  yield* chunksOf(bytes, 0, from)
  yield* chunksOf(bytes, to, bytes.size)
}

const SEPARATORS: ReadonlySet<number | undefined> = new Set([COMMA, SPACE, 0x0a, 0x0d, 0x09])

/** Returns false if the bytes end before the last element. */
function* readElements(
  bytes: DocumentBytes,
  { begin, ends }: { begin: number; ends: readonly number[] },
): Generator<DocumentItem, boolean, void> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes.size))
  let window: Buffer = Buffer.alloc(0)
  let base = begin
  let at = begin
  for (const end of ends) {
    if (end > base + window.length) {
      base = at
      window = bytes.range(at, Math.max(end, Math.min(bytes.size, at + CHUNK_BYTES)), buffer)
      if (end > base + window.length) return false
    }
    while (SEPARATORS.has(window[at - base])) at++
    const value = parseJson(window.subarray(at - base, end - base))
    yield value === undefined ? { type: 'junk', start: at, end } : { type: 'element', value, start: at, end }
    at = end
  }
  return true
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
