// What has to be done to a JSON document so that its agent can read it, with every complete message in it kept: the faults, each with its edits.
import { SPACE } from '../ascii.ts'
import { SHORTEST_BORDER_BYTES } from '../json-repairer.ts'
import type { DocumentBytes, Outline } from '../outline.ts'
import { outlineDocument } from '../outline.ts'
import { chooseCopies } from './copies.ts'
import type { DocumentFault } from './glue.ts'
import { glue } from './glue.ts'
import type { Segment, Structure } from './segment.ts'
import { parseValue } from './value.ts'
import { walkDocuments } from './walk.ts'
import { Window } from './window.ts'

export type { DocumentFault, FaultKind } from './glue.ts'
export type { Structure } from './segment.ts'

export interface DocumentPlan {
  /** As strict as the agent. */
  outline: Outline
  faults: readonly DocumentFault[]
  /** How many elements of the list are kept. */
  elements: number
  /** Whether there is a list, or messages of which one can be made. */
  hasList: boolean
  listName: string
  /** The names of the fields after the repair. */
  fields: ReadonlySet<string>
  /** Fields that are written anew. */
  restored: readonly string[]
}

/** What is left of a document that lacks a field its agent insists on. */
export interface Remains {
  fields: ReadonlySet<string>
  /** The bytes before the first message, as far as they may tell something. */
  head: Buffer
  first: unknown
  last: unknown
}

/** The fields that are missing, with their values; none where nothing can be known. */
export type Restore = (remains: Remains) => ReadonlyMap<string, unknown>

const MAX_HEAD_BYTES = 64 * 1024

export function planDocument(bytes: DocumentBytes, structure: Structure, restore?: Restore): DocumentPlan {
  const outline = outlineDocument(bytes, structure.lists)
  if (outline.isClean && outline.list !== undefined && restore === undefined) return cleanPlan(outline)
  const window = new Window(bytes)
  const shares = chooseCopies(window, structure, walkDocuments(window, structure, outline.isJson))
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
  window: Window,
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

/** Whether something that was said may be lost by it; else every byte of worth is kept, or was there twice. */
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
