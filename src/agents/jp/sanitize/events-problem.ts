// What a person is shown of events that JP cannot read: what is wrong, where, the lines around it, and a fix where one is known.
import type { ElementProblem, EventsProblem, Invalid } from '../../sanitizer.ts'
import { classifyEvents } from '../classify/classify-events.ts'

import type { Condition, FileState } from '../classify/state.ts'
import type { ConversationFolder } from '../conversations.ts'
import { loaderText, validatorText } from '../loader.ts'
import { EVENTS, TRASHED } from '../names.ts'
import { suggestEvents } from './suggest-events.ts'

const LINES_AROUND = 2
/** Of a line that may hold a whole answer. */
const LONGEST_LINE = 160

/** `bytes` is empty where there is no such file. */
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

/** In JP's words, as it would write them into TRASHED.md; else in ours. */
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

/** Whole lines, each cut where it is long. */
export function excerptAt(bytes: Buffer, offset: number): string {
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

/** The part of the line that the place is in. */
function shorten(bytes: Buffer, start: number, end: number, offset: number): string {
  if (end - start <= LONGEST_LINE) return bytes.toString('utf8', start, end)
  const isHere = offset >= start && offset <= end
  const from = isHere ? Math.max(start, Math.min(offset - LONGEST_LINE / 2, end - LONGEST_LINE)) : start
  const text = bytes.toString('utf8', from, Math.min(end, from + LONGEST_LINE))
  return `${from > start ? '…' : ''}${text}${from + LONGEST_LINE < end ? '…' : ''}`
}
