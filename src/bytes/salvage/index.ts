// Plans the repair of a JSON document so that its agent can read it and every complete message stays: the
// faults, each with its edits.
import { SPACE } from '../ascii.ts'
import { SHORTEST_BORDER_BYTES } from '../json-repairer.ts'
import type { DocumentBytes, Outline } from '../outline.ts'
import { outlineDocument } from '../outline.ts'
import { chooseCopies } from './copies.ts'
import type { DocumentFault } from './glue.ts'
import { glue } from './glue.ts'
import type { Segment, Structure } from './segment.ts'
import { parseValue } from './value.ts'
import { walkDocuments, walkWithCopy } from './walk.ts'
import { ByteWindow } from './window.ts'

export type { DocumentFault, DocumentFaultKind as FaultKind } from './glue.ts'
export type { Structure } from './segment.ts'

export interface DocumentPlan {
  /** As strict as the agent. */
  outline: Outline
  faults: readonly DocumentFault[]
  /** How many elements of the list remain. */
  elements: number
  /** Whether there is a list, or messages from which one can be built. */
  hasList: boolean
  listName: string
  /** The names of the fields after the repair. */
  fields: ReadonlySet<string>
  /** Fields that are rewritten. */
  restored: readonly string[]
}

/** The remains of a document that lacks a field its agent requires. */
export interface Remains {
  fields: ReadonlySet<string>
  /** The bytes before the first message, up to a limit. */
  head: Buffer
  first: unknown
  last: unknown
}

/** The missing fields with their values. Empty if nothing is known. */
export type Restore = (remains: Remains) => ReadonlyMap<string, unknown>

const MAX_HEAD_BYTES = 64 * 1024

export function planDocument(bytes: DocumentBytes, structure: Structure, restore?: Restore): DocumentPlan {
  const outline = outlineDocument(bytes, structure.lists)
  if (outline.isClean && outline.list !== undefined && restore === undefined) return cleanPlan(outline)
  const window = new ByteWindow(bytes)
  const shares = chooseCopies(window, structure, walkAll(bytes, window, structure, outline.isJson))
  const head = shares[0]?.segment
  const elements = shares.reduce((sum, { kept }) => sum + kept.length, 0)
  const hasList = head?.list !== undefined || elements > 0
  const fields = new Set([...(head?.fields ?? []), ...(shares.at(-1)?.segment.behind ?? [])].map(({ name }) => name))
  const listName = head?.list?.name ?? structure.lists[0] ?? ''
  if (hasList) fields.add(listName)
  if (!hasList) return { outline, faults: [], elements, hasList, listName, fields, restored: [] }
  const added = restore?.(remainsOf(window, fields, shares[0]?.segment, shares.at(-1)?.segment)) ?? new Map()
  const restored = [...added].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')
  for (const name of added.keys()) fields.add(name)
  const faults = glue({ window, shares, restored, listName })
  return { outline, faults, elements, hasList, listName, fields, restored: [...added.keys()] }
}

/** How many bytes a second copy must share with the start of the file. */
const HEAD_BYTES = 48
/** Documents quoted in messages can start alike. This limits how many are tried. */
const MAX_TRIED = 16

function walkAll(bytes: DocumentBytes, window: ByteWindow, structure: Structure, isJson: boolean): Segment[] {
  const border = isJson ? undefined : findWholeCopy(bytes, window, structure)
  const before = border === undefined ? undefined : new ByteWindow(sliceOf(bytes, 0, border))
  const copies = before === undefined ? undefined : walkWithCopy(window, before, structure)
  return copies ?? walkDocuments(window, structure, isJson)
}

/**
 * The start of a complete copy after a partial one of the same document, verified by the parser. The partial
 * copy then does not matter.
 */
function findWholeCopy(bytes: DocumentBytes, window: ByteWindow, { lists }: Structure): number | undefined {
  const head = window.range(0, HEAD_BYTES).toString('latin1')
  if (head.length < HEAD_BYTES) return undefined
  const pattern = new RegExp(head.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
  let from = 1
  for (let tried = 0; tried < MAX_TRIED; tried++) {
    const found = window.search(pattern, from)
    if (found === undefined) return undefined
    const { isClean, list } = outlineDocument(sliceOf(bytes, found.start, bytes.size), lists)
    if (isClean && list !== undefined) return found.start
    from = found.start + 1
  }
  return undefined
}

function sliceOf(bytes: DocumentBytes, start: number, end: number): DocumentBytes {
  return {
    size: end - start,
    range: (from, to) => bytes.range(start + from, Math.min(start + to, end)),
  }
}

function cleanPlan(outline: Outline): DocumentPlan {
  const { list, fields } = outline
  const listName = list?.name ?? ''
  return {
    outline,
    faults: [],
    elements: list?.elements ?? 0,
    hasList: list !== undefined,
    listName,
    fields,
    restored: [],
  }
}

function remainsOf(
  window: ByteWindow,
  fields: ReadonlySet<string>,
  head: Segment | undefined,
  tail: Segment | undefined,
): Remains {
  const elementOf = (segment: Segment | undefined, number: number): unknown =>
    segment === undefined || number < 0 || number >= segment.length
      ? undefined
      : parseValue(window, segment.element(number))
  const end = Math.min(head?.starts[0] ?? window.size, (head?.start ?? 0) + MAX_HEAD_BYTES)
  return {
    fields,
    head: window.range(head?.start ?? 0, end),
    first: elementOf(head, 0),
    last: elementOf(tail, (tail?.length ?? 0) - 1),
  }
}

const REPLACEMENT = Buffer.from('\ufffd')

/**
 * Whether the fault may lose part of the conversation. Otherwise every useful byte stays, or existed twice.
 */
export function losesBytes({ kind, start, end, edits }: DocumentFault): boolean {
  switch (kind) {
    case 'broken':
      return end - start >= SHORTEST_BORDER_BYTES
    case 'cut':
      return true
    case 'text':
      return edits.some(({ bytes }) => bytes.includes(SPACE) || bytes.includes(REPLACEMENT))
    default:
      return false
  }
}
