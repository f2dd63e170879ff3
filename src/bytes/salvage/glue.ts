// Joins the remaining parts to one document: between two of them must be exactly what JSON requires. Every
// necessary change is a fault, with its edits.
import { COMMA } from '../ascii.ts'
import type { Edit } from '../edits.ts'
import type { Span } from '../json.ts'
import type { Repair, RepairKind } from '../json-repairer.ts'
import type { Share } from './copies.ts'
import type { SalvagedValue } from './value.ts'
import type { ByteWindow } from './window.ts'
import { SPACES, WINDOW_BYTES } from './window.ts'

/**
 * `mark`: a byte order mark. `text`: characters that a text may not hold. `structure`: missing commas,
 * colons, quotes and brackets, and single stray bytes. `broken`: bytes that cannot be used. `copy`: another
 * copy of the document. `fields`: lost fields that the agent requires.
 */
export type DocumentFaultKind =
  | 'mark'
  | 'nuls'
  | 'comma'
  | 'text'
  | 'structure'
  | 'broken'
  | 'cut'
  | 'rest'
  | 'copy'
  | 'fields'

export interface DocumentFault extends Span {
  kind: DocumentFaultKind
  edits: Edit[]
  /** How many messages come before it. */
  messagesBefore: number
  /** It is inside the next message, which remains. */
  isInside: boolean
}

/** A remaining part, or text for a lost one. */
type Token = Part | { type: 'text'; text: string }
interface Part {
  type: 'part'
  value: SalvagedValue
  isMessage: boolean
}

export interface Gluing {
  window: ByteWindow
  shares: readonly Share[]
  /** JSON of fields to insert at the start, without surrounding commas. Empty if there are none. */
  restored: string
  /** The name of the list if its own is lost. */
  listName: string
}

export function glue(gluing: Gluing): DocumentFault[] {
  return new Gluer(gluing).glue(tokensOf(gluing))
}

function* tokensOf({ shares, restored, listName }: Gluing): Generator<Token, void, void> {
  const head = shares[0]?.segment
  const tail = shares.at(-1)?.segment
  if (head === undefined || tail === undefined) return
  const text = (wanted: string): Token => ({ type: 'text', text: wanted })
  const part = (span: Span, wanted: string): Token[] => [
    ...(wanted === '' ? [] : [text(wanted)]),
    { type: 'part', value: { repairs: [], ...span }, isMessage: false },
  ]
  yield* head.open === undefined ? [text('{')] : part(head.open, '')
  if (restored !== '') yield text(restored)
  let isFirst = restored === ''
  for (const field of head.fields) {
    yield* part(field, isFirst ? '' : ',')
    isFirst = false
  }
  yield* head.list === undefined
    ? [text(`${isFirst ? '' : ','}${JSON.stringify(listName)}:[`)]
    : part(head.list, isFirst ? '' : ',')
  isFirst = true
  for (const { segment, kept } of shares)
    for (const number of kept) {
      if (!isFirst) yield text(',')
      isFirst = false
      yield { type: 'part', value: segment.element(number), isMessage: true }
    }
  yield* tail.listEnd === undefined ? [text(']')] : part(tail.listEnd, '')
  for (const field of tail.behind) yield* part(field, ',')
  yield* tail.close === undefined ? [text('}')] : part(tail.close, '')
}

const MAX_BLANKED_BYTES = 64 * 1024
/** Beyond this many, commas and NULs at one place are removed together. */
const MAX_NOTES = 10_000
const MARK = Buffer.from([0xef, 0xbb, 0xbf])

class Gluer {
  readonly #window: ByteWindow
  readonly #shares: readonly Share[]
  readonly #restored: string
  readonly #faults: DocumentFault[] = []
  #messages = 0

  constructor({ window, shares, restored }: Gluing) {
    this.#window = window
    this.#shares = shares
    this.#restored = restored
  }

  glue(tokens: Iterable<Token>): DocumentFault[] {
    let place = 0
    let wanted = ''
    for (const token of tokens) {
      if (token.type === 'text') {
        wanted += token.text
        continue
      }
      this.#fill({ start: place, end: token.value.start }, wanted)
      this.#addRepairs(token)
      if (token.isMessage) this.#messages++
      place = token.value.end
      wanted = ''
    }
    this.#finish(place, wanted)
    return this.#faults
  }

  /** The end of the bytes: a cut document, or bytes after a closed one. NULs there are a separate kind. */
  #finish(place: number, wanted: string): void {
    const end = this.#endWithoutNuls(place)
    const tail = { start: end, end: this.#window.size }
    if (wanted !== '') this.#add('cut', { start: place, end }, [{ start: place, end, bytes: Buffer.from(wanted) }])
    else {
      const rest = { start: Math.min(this.#window.skip(place, SPACES), end), end }
      const isCopy = (this.#shares.at(-1)?.segment.end ?? 0) < this.#window.size
      if (rest.start < end) this.#add(isCopy ? 'copy' : 'rest', rest, [{ ...rest, bytes: Buffer.alloc(0) }])
    }
    if (end < tail.end) this.#add('nuls', tail, [{ ...tail, bytes: Buffer.alloc(0) }])
  }

  #endWithoutNuls(least: number): number {
    let first = this.#window.size
    for (let end = first; end > least; ) {
      const start = Math.max(least, end - WINDOW_BYTES)
      const bytes = this.#window.range(start, end)
      for (let at = bytes.length - 1; at >= 0; at--) {
        const byte = bytes[at] ?? 0
        if (byte === 0) first = start + at
        else if (!SPACES.has(byte)) return first
      }
      end = start
    }
    return first
  }

  /** Reduces the bytes between two parts to white space and what is wanted there. */
  #fill(gap: Span, wanted: string): void {
    const { commas, nuls, other } = this.#survey(gap)
    const [comma] = wanted.startsWith(',') ? commas : []
    const missing = comma === undefined ? wanted : wanted.slice(1)
    if (other !== undefined) {
      for (const span of nuls) if (comma !== undefined && span.start < comma) this.#add('nuls', span, [blank(span)])
      this.#remove(gap, comma, missing)
      return
    }
    for (const at of commas)
      if (at !== comma) this.#add('comma', { start: at, end: at + 1 }, [blank({ start: at, end: at + 1 })])
    for (const span of nuls) this.#add('nuls', span, [blank(span)])
    if (missing === '') return
    const place = comma === undefined ? gap.start : gap.end
    this.#add('structure', { start: place, end: place }, [{ start: place, end: place, bytes: Buffer.from(missing) }])
  }

  /** Removes everything between two parts except white space and an existing comma. */
  #remove(gap: Span, comma: number | undefined, wanted: string): void {
    const start = this.#window.skip(comma === undefined ? gap.start : comma + 1, SPACES)
    const end = comma === undefined ? this.#window.skipBack(gap.end, SPACES, start) : gap.end
    const span = { start, end }
    const isMark = start === 0 && end === MARK.length && this.#window.range(0, MARK.length).equals(MARK)
    if (isMark && wanted === '') this.#add('mark', span, [blank(span)])
    else this.#add(this.#kindOf(gap), span, [{ ...span, bytes: Buffer.from(wanted) }])
  }

  /** Between parts of two copies are the rest of the first and the head of the second. */
  #kindOf(gap: Span): DocumentFaultKind {
    const isBetween = this.#shares.some(({ segment }) => segment.start > gap.start && segment.start <= gap.end)
    return isBetween || (this.#shares.length > 1 && this.#messages > 0) ? 'copy' : 'broken'
  }

  /** The commas and NULs at the start of the gap, and where other bytes start. */
  #survey(gap: Span): { commas: number[]; nuls: Span[]; other: number | undefined } {
    const commas: number[] = []
    const nuls: Span[] = []
    for (let at = gap.start; at < gap.end; at++) {
      const byte = this.#window.at(at) ?? 0
      const last = nuls.at(-1)
      if (SPACES.has(byte)) continue
      if ((byte !== COMMA && byte !== 0) || commas.length + nuls.length > MAX_NOTES) return { commas, nuls, other: at }
      if (byte === COMMA) commas.push(at)
      else if (last?.end === at) last.end++
      else nuls.push({ start: at, end: at + 1 })
    }
    return { commas, nuls, other: undefined }
  }

  /** The faults of one value: those in its texts are one fault, those in its structure another. */
  #addRepairs({ value, isMessage }: Part): void {
    const joined = new Map<DocumentFaultKind, DocumentFault>()
    for (const repair of value.repairs) {
      const kind = KINDS[repair.kind]
      const known = joined.get(kind)
      const edit = editOf(repair)
      if (known === undefined || kind === 'comma' || kind === 'nuls') {
        const fault = {
          kind,
          start: edit.start,
          end: edit.end,
          edits: [edit],
          messagesBefore: this.#messages,
          isInside: isMessage,
        }
        joined.set(kind, fault)
        this.#faults.push(fault)
      } else {
        known.edits.push(edit)
        known.end = Math.max(known.end, edit.end)
      }
    }
  }

  #add(kind: DocumentFaultKind, { start, end }: Span, edits: Edit[]): void {
    const place = { start, end, messagesBefore: this.#messages, isInside: false }
    const isRestored = this.#restored !== '' && edits.some(({ bytes }) => bytes.includes(this.#restored))
    if (isRestored && kind !== 'structure') this.#faults.push({ kind: 'fields', ...place, edits: [] })
    this.#faults.push({ kind: isRestored && kind === 'structure' ? 'fields' : kind, ...place, edits })
  }
}

const KINDS: Record<RepairKind, DocumentFaultKind> = {
  text: 'text',
  nuls: 'nuls',
  comma: 'comma',
  mark: 'structure',
  bracket: 'structure',
  quote: 'structure',
  stray: 'structure',
}

function editOf({ start, end, bytes }: Repair): Edit {
  return { start, end, bytes }
}

/** Short runs become spaces. Long ones are removed. */
function blank({ start, end }: Span): Edit {
  return { start, end, bytes: Buffer.alloc(end - start > MAX_BLANKED_BYTES ? 0 : end - start, ' ') }
}
