// The parts of one record that the model's API refuses, as spans of its bytes.
import { BACKSLASH, QUOTE } from '../../../../bytes/ascii.ts'
import { plainString, type Span } from '../../../../bytes/json.ts'
import { fieldNames, skimFields } from '../../../../bytes/skim.ts'
import type { RejectedContent } from '../../../repair.ts'
import { type Block, blocksIn, contentOf, innerContent } from '../blocks.ts'

export type RejectedKind = RejectedContent['kind']

/** A list of blocks, and the blocks to remove. */
export interface BlockList {
  blocks: readonly Block[]
  /** The reason, by the number of the block. */
  cut: Map<number, RejectedKind | 'behind'>
  /** True for the content of the message itself, false for the content of a result in it. */
  isMessage: boolean
}

export interface Faults {
  lists: BlockList[]
  /** Escapes that are replaced in place. */
  surrogates: Span[]
  /** The content is a string without any text. */
  blankText: Span | undefined
}

const ATTACHMENT = fieldNames('attachment')
const TEXT = fieldNames('text')
const SIGNATURE = fieldNames('signature')

export function findFaults(bytes: Buffer): Faults {
  const content = contentOf(bytes)
  if (content === undefined) return attachmentFaults(bytes)
  const faults: Faults = { lists: [], surrogates: [], blankText: undefined }
  if (bytes[content.start] === QUOTE) {
    if (isBlankText(bytes, content)) faults.blankText = content
    else faults.surrogates = findLoneSurrogates(bytes, content)
    return faults
  }
  const list: BlockList = { blocks: blocksIn(bytes, content), cut: new Map(), isMessage: true }
  faults.lists.push(list)
  for (const [number, block] of list.blocks.entries()) {
    const kind = refuseBlock(bytes, block)
    if (kind !== undefined) list.cut.set(number, kind)
    else addInner(bytes, block, faults)
  }
  return faults
}

/** The agent builds its own text from an attachment, so only a character of it can be refused. */
function attachmentFaults(bytes: Buffer): Faults {
  const attachment = skimFields(bytes, ATTACHMENT)?.[0]
  const surrogates = attachment === undefined ? [] : findLoneSurrogates(bytes, attachment)
  return { lists: [], surrogates, blankText: undefined }
}

function addInner(bytes: Buffer, block: Block, faults: Faults): void {
  const inner = block.type === 'tool_result' ? innerContent(bytes, block) : undefined
  const list: BlockList = { blocks: blocksIn(bytes, inner), cut: new Map(), isMessage: false }
  for (const [number, one] of list.blocks.entries())
    if (refuseBlock(bytes, one) === 'blank') list.cut.set(number, 'blank')
  if (list.cut.size > 0) faults.lists.push(list)
  for (const half of findLoneSurrogates(bytes, block)) faults.surrogates.push(half)
}

function refuseBlock(bytes: Buffer, block: Block): RejectedKind | undefined {
  if (block.type === 'text') {
    const text = skimFields(bytes, TEXT, block.start, block.end)?.[0]
    return text === undefined || isBlankText(bytes, text) ? 'blank' : undefined
  }
  if (block.type !== 'thinking') return undefined
  const signature = plainString(bytes, skimFields(bytes, SIGNATURE, block.start, block.end)?.[0])
  if (signature === undefined || signature.trim() === '') return 'unsigned'
  // Changing the text would invalidate its signature.
  return findLoneSurrogates(bytes, block).length > 0 ? 'half-character' : undefined
}

function isBlankText(bytes: Buffer, span: Span): boolean {
  return plainString(bytes, span)?.trim() === ''
}

export function isThinking(block: Block): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking'
}

/** The signature of thinking covers the content before it. If that changes, the thinking is removed. */
export function cutThinkingAfter(faults: Faults, offset: number): void {
  const list = messageList(faults)
  for (const [number, block] of list?.blocks.entries() ?? [])
    if (isThinking(block) && block.start > offset && !list?.cut.has(number)) list?.cut.set(number, 'behind')
}

export function messageList({ lists }: Faults): BlockList | undefined {
  return lists.find(({ isMessage }) => isMessage)
}

/** Whether nothing remains of its message except thinking, which is not an answer. */
export function isEmptied(faults: Faults): boolean {
  const list = messageList(faults)
  return (
    list !== undefined &&
    list.cut.size > 0 &&
    list.blocks.every((block, number) => isThinking(block) || list.cut.has(number))
  )
}

/** The offset of the first fault. Undefined if there is none. */
export function firstFault({ lists, surrogates, blankText }: Faults): number | undefined {
  const cuts = lists.flatMap(({ blocks, cut }) => blocks.filter((_, number) => cut.has(number)).slice(0, 1))
  const places = [...cuts, ...surrogates.slice(0, 1), ...(blankText === undefined ? [] : [blankText])]
  if (places.length === 0) return undefined
  return places.reduce((first, { start }) => Math.min(first, start), Number.POSITIVE_INFINITY)
}

// Halves of a surrogate pair that stand alone as an escape, such as \ud83d without its partner. This is valid
// JSON, but text that other programs refuse.

const LOWER_U = 0x75
const ESCAPE_BYTES = 6
/** The replacement character, as long as the escape it replaces. */
export const REPLACEMENT = Buffer.from('\\ufffd')

/** The lone halves in `span`, which must be valid JSON. */
function findLoneSurrogates(bytes: Buffer, span: Span): Span[] {
  const found: Span[] = []
  for (let at = bytes.indexOf(BACKSLASH, span.start); at !== -1 && at < span.end; ) {
    const next = at + lengthOfEscape(bytes, at)
    const unit = unitAt(bytes, at)
    if (isHigh(unit) && isLow(unitAt(bytes, next))) at = next + ESCAPE_BYTES
    else {
      if (isHigh(unit) || isLow(unit)) found.push({ start: at, end: next })
      at = next
    }
    at = bytes.indexOf(BACKSLASH, at)
  }
  return found
}

function lengthOfEscape(bytes: Buffer, at: number): number {
  return bytes[at + 1] === LOWER_U ? ESCAPE_BYTES : 2
}

/** The code unit of an escape of this form. NaN for everything else. */
function unitAt(bytes: Buffer, at: number): number {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== LOWER_U) return Number.NaN
  return Number.parseInt(bytes.toString('latin1', at + 2, at + ESCAPE_BYTES), 16)
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}
