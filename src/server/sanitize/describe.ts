// Reports and questions for the page.
import { createHash } from 'node:crypto'
import type { EventsProblem, FlagsProblem, Preview, SanitizeReport } from '../../agents/sanitizer.ts'
import type { EventsQuestion, FlagsQuestion, SanitizeLine, SanitizeQuestions } from '../api.ts'
import { MAX_EDITED_CHARS } from '../api.ts'
import { editsOf } from './suggested-edits.ts'

const PARTS = ['repaired', 'degraded', 'trashed', 'skipped', 'lockedOut', 'blocked', 'left'] as const
/** More would only be scrolled past. */
const MAX_ELEMENTS_TOLD = 20

export function linesOf(report: SanitizeReport): SanitizeLine[] {
  return PARTS.flatMap(part =>
    report[part].map(({ line, receipt }) => ({ part, text: line, ...(receipt === undefined ? {} : { receipt }) })),
  )
}

export function describePreview(preview: Preview): SanitizeQuestions {
  const { events, flags } = questionsIn(preview)
  return {
    lines: linesOf(preview.report),
    events: events === undefined ? null : describeEvents(events),
    flags: flags === undefined ? null : describeFlags(flags),
    isTrashed: preview.isTrashed,
  }
}

export function questionsIn({ questions }: Preview): { events?: EventsProblem; flags?: FlagsProblem } {
  const asked: { events?: EventsProblem; flags?: FlagsProblem } = {}
  for (const question of questions) {
    if (question.type === 'events') asked.events = question.problem
    else asked.flags = question.problem
  }
  return asked
}

/** What the file holds, so that nobody decides about what they have not seen. */
export function markOf({ bytes }: Pick<EventsProblem, 'bytes'>): string {
  return createHash('sha256').update(bytes).digest('base64url')
}

function describeEvents(problem: EventsProblem): EventsQuestion {
  const { file, text, line, column, excerpt, bytes, elements, suggestion } = problem
  const told = elements.slice(0, MAX_ELEMENTS_TOLD).map(element => ({ index: element.index, text: element.text }))
  const notEditable = whyNotEditable(bytes)
  return {
    file,
    text,
    line,
    column,
    mark: markOf(problem),
    excerpt,
    elements: told,
    moreElements: elements.length - told.length,
    size: bytes.length,
    content: notEditable === null ? bytes.toString('utf8') : null,
    notEditable,
    suggestion: suggestion === undefined ? null : { text: suggestion.text, ...editsOf(bytes, suggestion) },
  }
}

/** A page must give back exactly what it was given, but for what the person changes. */
function whyNotEditable(bytes: Buffer): string | null {
  if (bytes.length === 0) return 'There is nothing to edit.'
  if (bytes.length > MAX_EDITED_CHARS) return `It is larger than ${MAX_EDITED_CHARS / 1024 / 1024} MB.`
  if (!Buffer.from(bytes.toString('utf8')).equals(bytes)) return 'It holds bytes that are no characters.'
  if (bytes.includes('\r')) return 'It holds carriage returns, which a page would take out.'
  return null
}

function describeFlags({ file, text, remembered }: FlagsProblem): FlagsQuestion {
  return { file, text, remembered: remembered ?? null }
}
