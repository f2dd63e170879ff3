// The edits that remove from one record what the model's API refuses. Each edit belongs to one finding, so a
// record can have several.
import type { Span } from '../../../../bytes/json.ts'
import type { RawEdit, RejectedContent } from '../../../repair.ts'
import { cutElements, shift, textBlock } from '../blocks.ts'
import { type BlockList, type Faults, isEmptied, REPLACEMENT, type RejectedKind } from './faults.ts'

const EMPTY = '(empty)'
const NOTHING = Buffer.alloc(0)

const WORDS: Record<RejectedKind, { text: string; reason: string }> = {
  blank: {
    text: 'A text is empty, and the model’s service refuses a conversation that contains one.',
    reason: `Remove the empty text, or write “${EMPTY}” where nothing would be left`,
  },
  'half-character': {
    text: 'A text contains half a character, and the model’s service refuses a conversation that contains one.',
    reason: 'Replace half characters with a placeholder; remove thinking that contains one',
  },
  unsigned: {
    text: 'A thinking block has no signature, and the model’s service refuses a conversation that contains one.',
    reason: 'Remove the thinking block without a signature; the vault keeps it',
  },
}

export interface RepairedRecord {
  found: RejectedContent[]
  /** Edits that only follow from a fault in an earlier record. */
  behind: RawEdit[]
}

/**
 * The record starts at `at`. `isFilled`: the message has content in other records, so this one may keep an
 * empty list.
 */
export function repairRecord(at: number, faults: Faults, isFilled: boolean): RepairedRecord {
  const found = new Map<RejectedKind, { places: Span[]; edits: RawEdit[] }>()
  const behind: RawEdit[] = []
  const note = (kind: RejectedKind, place: Span, edits: RawEdit[]): void => {
    const known = found.get(kind) ?? { places: [], edits: [] }
    known.places.push(place)
    known.edits.push(...edits)
    found.set(kind, known)
  }
  if (faults.blankText !== undefined)
    note('blank', faults.blankText, [{ ...faults.blankText, bytes: Buffer.from(JSON.stringify(EMPTY)) }])
  for (const place of faults.surrogates) note('half-character', place, [{ ...place, bytes: REPLACEMENT }])
  for (const list of faults.lists) {
    const filler = list.isMessage && isFilled ? NOTHING : textBlock(EMPTY)
    const isAllCut = list.isMessage && !isFilled && isEmptied(faults)
    for (const { elements, ...edit } of cutElements(list.blocks, number => isAllCut || list.cut.has(number), filler)) {
      const kinds = elements.flatMap(number => faultOf(list, number))
      for (const [index, { kind, place }] of kinds.entries()) note(kind, place, index === 0 ? [edit] : [])
      if (kinds.length === 0) behind.push(edit)
    }
  }
  const rejected = [...found].map(([kind, { places, edits }]) => makeRejected(at, kind, places, edits))
  return { found: rejected, behind: behind.map(edit => shift(edit, at)) }
}

function faultOf({ blocks, cut }: BlockList, number: number): { kind: RejectedKind; place: Span }[] {
  const kind = cut.get(number)
  const place = blocks[number]
  return kind === undefined || kind === 'behind' || place === undefined ? [] : [{ kind, place }]
}

function makeRejected(at: number, kind: RejectedKind, places: readonly Span[], edits: RawEdit[]): RejectedContent {
  const { text, reason } = WORDS[kind]
  return {
    kind,
    start: at + places.reduce((least, { start }) => Math.min(least, start), Number.POSITIVE_INFINITY),
    end: at + places.reduce((most, { end }) => Math.max(most, end), 0),
    text,
    repair: { edits: edits.map(edit => shift(edit, at)), reason },
  }
}
