// What a person is shown about events that JP cannot read: the error, its place, the lines around it, and a
// suggested fix.

import { CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET } from '../../../bytes/ascii.ts'
import type { Edit } from '../../../bytes/edits.ts'
import { applyEdits } from '../../../bytes/edits.ts'
import { skipSpaces } from '../../../bytes/text.ts'
import type { ElementProblem, EventsProblem, Invalid, Suggestion } from '../../sanitizer.ts'
import { checkEvent, classifyEvents } from '../classify/classify-file.ts'
import { scanJson } from '../classify/scan-json.ts'
import type { Condition, FileState } from '../classify/state.ts'
import type { ConversationFolder } from '../conversations.ts'
import type { Untidy } from '../json-spans.ts'
import { blank, findUntidy, skipGap } from '../json-spans.ts'
import { loaderText, validatorText } from '../loader.ts'
import { EVENTS, TRASHED } from '../names.ts'
import { readArray } from '../store/event-file.ts'
import { collectEvents, fromUtf16 } from './collect-events.ts'

const LINES_AROUND = 2
/** A line can hold a whole answer of the model, so it is shortened. */
const LONGEST_LINE = 160

/** `bytes` is empty if the file is missing. */
export function makeEventsProblem(folder: ConversationFolder, state: FileState, bytes: Buffer): EventsProblem {
  const place = placeOf(state.condition, bytes)
  const suggestion = suggestEvents(bytes)
  return {
    about: 'events',
    conversation: folder.name,
    root: folder.root.path,
    file: EVENTS,
    path: state.path,
    text: eventsErrorText(state.condition),
    ...place,
    excerpt: excerptAt(bytes, place.offset),
    bytes,
    elements: elementsOf(state.condition),
    ...(folder.place === TRASHED ? { isInTrash: true } : {}),
    ...(suggestion === undefined ? {} : { suggestion }),
    validate: validateEvents,
  }
}

/** The wording that JP writes into TRASHED.md, or that of rethread if JP has none. */
export function eventsErrorText(condition: Condition): string {
  switch (condition.type) {
    case 'missing':
    case 'link-dangling':
      return `missing ${EVENTS}`
    case 'is-a-directory':
      return `${EVENTS} is a directory`
    default:
      return `${EVENTS}: ${validatorText(condition) ?? loaderText(condition) ?? 'cannot be loaded'}`
  }
}

export function validateEvents(bytes: Buffer): Invalid | undefined {
  const { condition } = classifyEvents([bytes])
  if (condition.type === 'healthy') return undefined
  const { line, column } = placeOf(condition, bytes)
  return { text: eventsErrorText(condition), line, column }
}

function elementsOf(condition: Condition): ElementProblem[] {
  if (condition.type === 'link-to-bad') return elementsOf(condition.found)
  if (condition.type !== 'wrong-shape') return []
  return condition.faults.flatMap(({ element, path, text }) =>
    element === undefined ? [] : [{ ...element, text: `${path} ${text}` }],
  )
}

function placeOf(condition: Condition, bytes: Buffer): { line: number; column: number; offset: number } {
  if (condition.type === 'link-to-bad') return placeOf(condition.found, bytes)
  if ('fault' in condition) {
    const { line, column, offset } = condition.fault
    return { line, column, offset }
  }
  const offset = condition.type === 'wrong-shape' ? (condition.faults[0]?.element?.start ?? 0) : 0
  const before = bytes.subarray(0, offset)
  let line = 1
  for (const byte of before) if (byte === 0x0a) line++
  return { line, column: offset - before.lastIndexOf(0x0a), offset }
}

/** Returns whole lines around the offset. Long lines are shortened. */
function excerptAt(bytes: Buffer, offset: number): string {
  let start = Math.min(offset, bytes.length)
  for (let count = 0; count <= LINES_AROUND && start > 0; count++) start = bytes.lastIndexOf(0x0a, start - 1)
  const from = start <= 0 ? 0 : start + 1
  const lines: string[] = []
  for (let at = from, behind = 0; at < bytes.length && behind <= LINES_AROUND; ) {
    const newline = bytes.indexOf(0x0a, at)
    const end = newline === -1 ? bytes.length : newline
    lines.push(shorten(bytes, at, end, offset))
    if (end >= offset) behind++
    at = end + 1
  }
  return lines.join('\n')
}

/** The part of the line around the offset. */
function shorten(bytes: Buffer, start: number, end: number, offset: number): string {
  if (end - start <= LONGEST_LINE) return bytes.toString('utf8', start, end)
  const isHere = offset >= start && offset <= end
  const from = isHere ? Math.max(start, Math.min(offset - LONGEST_LINE / 2, end - LONGEST_LINE)) : start
  const text = bytes.toString('utf8', from, Math.min(end, from + LONGEST_LINE))
  return `${from > start ? '…' : ''}${text}${from + LONGEST_LINE < end ? '…' : ''}`
}

interface Fix extends Edit {
  what: Untidy['what'] | 'open' | 'close' | 'separator' | 'event' | 'rest' | 'tail'
  index?: number
}

const NOTHING = Buffer.alloc(0)

/**
 * Suggests a fix that keeps as many events as possible: removes stray bytes, drops events that JP cannot
 * load, and closes a cut end. Returns undefined if no event would be left or the result would still not load.
 */
export function suggestEvents(bytes: Buffer): Suggestion | undefined {
  const converted = fromUtf16(bytes)
  if (converted !== undefined) return suggestConverted(converted)
  if (validateEvents(bytes) === undefined) return undefined
  const found = suggestFixes(bytes)
  if (found?.isLossless) return found.suggestion
  // Some events would be lost, or all of them. A search may find more.
  const collected = collectEvents(bytes)
  if (collected === undefined || collected.events <= (found?.kept ?? 0)) return found?.suggestion
  const { events, changed, removals } = collected
  const [first, last] = [removals[0], removals.at(-1)]
  return {
    text: `keep the ${events} ${events === 1 ? 'event that is' : 'events that are'} complete${changed === 0 ? '' : `, ${changed} of them without what JP refuses`}`,
    bytes: collected.bytes,
    removed: first === undefined || last === undefined ? undefined : { start: first.start, end: last.end },
    removals,
  }
}

function suggestConverted(bytes: Buffer): Suggestion | undefined {
  if (validateEvents(bytes) === undefined) return { text: CONVERT, bytes, removed: undefined, removals: [] }
  const inner = suggestEvents(bytes)
  return inner && { text: `${CONVERT}, ${inner.text}`, bytes: inner.bytes, removed: undefined, removals: [] }
}

const CONVERT = 'convert the file from UTF-16'

interface Fixed {
  suggestion: Suggestion
  kept: number
  /** Nothing that can be an event is lost. */
  isLossless: boolean
}

function suggestFixes(bytes: Buffer): Fixed | undefined {
  const untidy = findUntidy(bytes)
  const tidy = blank(bytes, untidy)
  const start = skipSpaces(tidy, 0)
  const isOpen = tidy[start] === OPEN_BRACKET
  if (!isOpen && tidy[start] !== OPEN_BRACE) return undefined
  const pieces = isOpen ? piecesOf(tidy, [tidy], 0) : piecesOf(tidy, [Buffer.from('['), tidy], 1)
  const kept = pieces.filter(({ isGood }) => isGood).length
  if (kept === 0) return undefined
  const fixes: Fix[] = isOpen ? [] : [{ start, end: start, bytes: Buffer.from('['), what: 'open' }]
  fixes.push(...fixGaps(tidy, pieces, isOpen ? start + 1 : start), ...fixEnd(tidy, pieces.at(-1)?.end ?? 0))
  const all = merge(fixes, untidy)
  if (all.length === 0) return undefined
  const fixed = applyEdits(bytes, all)
  if (classifyEvents([fixed]).condition.type !== 'healthy') return undefined
  const removals = all.flatMap(({ start: from, end }) => (from < end ? [{ start: from, end }] : []))
  const last = removals.at(-1)
  const removed =
    removals[0] === undefined || last === undefined ? undefined : { start: removals[0].start, end: last.end }
  const isLossless = !all.some(({ what }) => what === 'event' || what === 'rest' || what === 'tail')
  return { suggestion: { text: describe(all, kept), bytes: fixed, removed, removals }, kept, isLossless }
}

interface Piece {
  start: number
  end: number
  /** JP loads this event. */
  isGood: boolean
}

/** Stores no values, because the file may be large. */
function piecesOf(tidy: Buffer, chunks: readonly Buffer[], shift: number): Piece[] {
  const pieces: Piece[] = []
  for (const item of readArray(chunks)) {
    const [start, end] = [item.start - shift, item.end - shift]
    pieces.push({ start, end, isGood: item.type === 'element' && isLoadable(item.value, tidy.subarray(start, end)) })
  }
  return pieces
}

function isLoadable(value: unknown, bytes: Buffer): boolean {
  if (checkEvent(value).length > 0) return false
  const { fault, soft } = scanJson(Buffer.concat([Buffer.from('['), bytes, Buffer.from(']')]))
  return fault === undefined && soft.length === 0
}

/** Removes the bad events with the comma before them, and leaves exactly one comma between the others. */
function fixGaps(tidy: Buffer, pieces: readonly Piece[], begin: number): Fix[] {
  const fixes: Fix[] = []
  let hasKept = false
  let border = begin
  for (const [index, item] of pieces.entries()) {
    const gap = tidy.toString('latin1', border, item.start).trim()
    if (!item.isGood) {
      const next = pieces[index + 1]?.start ?? item.end
      const [start, end] = hasKept ? [border, item.end] : [item.start, next]
      fixes.push({ start, end, bytes: NOTHING, what: 'event', index })
      border = hasKept ? item.end : next
      continue
    }
    if (hasKept && gap !== ',')
      fixes.push({
        start: border,
        end: item.start,
        bytes: Buffer.from(`,${tidy.toString('latin1', border, item.start).replaceAll(/[^\s]/g, '') || '\n  '}`),
        what: 'separator',
      })
    else if (!hasKept && gap !== '') fixes.push({ start: border, end: item.start, bytes: NOTHING, what: 'separator' })
    hasKept = true
    border = item.end
  }
  return fixes
}

/** Makes the closing bracket follow the last event, with nothing after it. */
function fixEnd(tidy: Buffer, border: number): Fix[] {
  const at = skipGap(tidy, border)
  if (tidy[at] !== CLOSE_BRACKET)
    return [
      { start: border, end: tidy.length, bytes: Buffer.from('\n]\n'), what: at === tidy.length ? 'close' : 'tail' },
    ]
  const fixes: Fix[] = []
  if (tidy.subarray(border, at).includes(COMMA))
    fixes.push({ start: border, end: at, bytes: Buffer.from('\n'), what: 'comma' })
  if (skipSpaces(tidy, at + 1) < tidy.length)
    fixes.push({ start: at + 1, end: tidy.length, bytes: Buffer.from('\n'), what: 'rest' })
  return fixes
}

/** Drops the spans inside a larger fix. Both lists are sorted and without overlaps. */
function merge(fixes: readonly Fix[], untidy: readonly Untidy[]): Fix[] {
  let next = 0
  const free = untidy.filter(({ start, end }) => {
    for (let fix = fixes[next]; fix !== undefined && fix.end < end; fix = fixes[next]) next++
    const fix = fixes[next]
    return fix === undefined || start < fix.start
  })
  return [...fixes, ...free.map(span => ({ ...span, bytes: NOTHING }))].sort((a, b) => a.start - b.start)
}

function describe(fixes: readonly Fix[], kept: number): string {
  const count = (what: Fix['what']): Fix[] => fixes.filter(fix => fix.what === what)
  const events = count('event').map(({ index }) => `[${index}]`)
  const tail = count('tail')[0]
  const parts = [
    count('mark').length > 0 ? 'remove the byte order mark' : '',
    count('nul').length > 0 ? 'remove the NUL bytes' : '',
    count('comment').length > 0 ? 'remove the comments' : '',
    count('comma').length > 0 ? 'remove the trailing comma' : '',
    count('separator').length > 0 ? 'put one comma between events' : '',
    count('open').length > 0 ? 'add the missing [ at the beginning' : '',
    count('rest').length > 0 ? 'remove what follows the end' : '',
    events.length > 0 ? `leave out ${listed(events)}` : '',
    count('close').length > 0 ? 'add the missing ] at the end' : '',
    tail === undefined
      ? ''
      : `keep the first ${kept} ${kept === 1 ? 'event' : 'events'} and cut the last ${tail.end - tail.start} bytes`,
  ]
  return parts.filter(part => part !== '').join(', ')
}

const LONGEST_LIST = 10

function listed(events: readonly string[]): string {
  const shown = events.slice(0, LONGEST_LIST).join(', ')
  const more = events.length - LONGEST_LIST
  return `${events.length === 1 ? 'event' : 'events'} ${shown}${more > 0 ? ` and ${more} more` : ''}`
}
