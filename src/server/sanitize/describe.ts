// Describes reports and questions for the page.
import { createHash } from 'node:crypto'
import type {
  EventsProblem,
  FlagsProblem,
  NameProblem,
  Preview,
  ReportEntry,
  SanitizeReport,
} from '../../agents/sanitizer.ts'
import type { EventsQuestion, FlagsQuestion, NameQuestion, SanitizeLine, SanitizeQuestions } from '../api.ts'
import { MAX_EDITED_CHARS } from '../api.ts'
import { editsOf } from './suggested-edits.ts'

const PARTS = ['repaired', 'degraded', 'trashed', 'skipped', 'lockedOut', 'blocked', 'left', 'noticed'] as const
/** Elements shown for one file. */
const MAX_ELEMENTS_SHOWN = 20

export function linesOf(report: SanitizeReport, textOf = ({ line }: ReportEntry): string => line): SanitizeLine[] {
  return PARTS.flatMap(part =>
    report[part].map(entry => ({
      part,
      text: textOf(entry),
      ...(entry.receipt === undefined ? {} : { receipt: entry.receipt }),
      ...(entry.remark === undefined ? {} : { remark: entry.remark }),
    })),
  )
}

/** Shortens the line of a report: the page already shows the conversation, and nothing has been done yet. */
function whatIsWrong({ line, conversation }: ReportEntry): string {
  const [, text = line] = line.split(` conversation ${conversation}: `)
  // A file name keeps its spelling.
  return text.replace(/^[a-z](?=[a-z]* )/, letter => letter.toUpperCase())
}

export function describePreview(preview: Preview): SanitizeQuestions {
  const { name, events, flags } = questionsIn(preview)
  return {
    lines: linesOf(preview.report, whatIsWrong),
    name: name === undefined ? null : describeName(name),
    events: events === undefined ? null : describeEvents(events),
    flags: flags === undefined ? null : describeFlags(flags),
    isTrashed: preview.isTrashed,
  }
}

export interface Asked {
  name?: NameProblem
  events?: EventsProblem
  flags?: FlagsProblem
}

/** One conversation has at most one question of each kind. */
export function questionsIn({ questions }: Preview): Asked {
  const asked: Asked = {}
  for (const question of questions)
    switch (question.type) {
      case 'name':
        asked.name = question.problem
        break
      case 'events':
        asked.events = question.problem
        break
      case 'flags':
        asked.flags = question.problem
    }
  return asked
}

/** A hash of the bytes, so that a decision applies only to what the user has seen. */
export function markOf({ bytes }: Pick<EventsProblem, 'bytes'>): string {
  return createHash('sha256').update(bytes).digest('base64url')
}

function describeName({ conversation, proposal }: NameProblem): NameQuestion {
  return { folder: conversation, proposed: proposal.name, source: proposal.source }
}

function describeEvents(problem: EventsProblem): EventsQuestion {
  const { file, path, text, line, column, excerpt, bytes, elements, suggestion } = problem
  const shown = elements.slice(0, MAX_ELEMENTS_SHOWN).map(element => ({ index: element.index, text: element.text }))
  const notEditable = whyNotEditable(bytes)
  return {
    file,
    path,
    text,
    line,
    column,
    mark: markOf(problem),
    excerpt,
    elements: shown,
    moreElements: elements.length - shown.length,
    size: bytes.length,
    content: notEditable === null ? bytes.toString('utf8') : null,
    notEditable,
    suggestion: suggestion === undefined ? null : { text: suggestion.text, ...editsOf(bytes, suggestion) },
  }
}

/** The page must return unchanged parts byte for byte. */
function whyNotEditable(bytes: Buffer): string | null {
  if (bytes.length === 0) return 'There is nothing to edit.'
  if (bytes.length > MAX_EDITED_CHARS) return `It is larger than ${MAX_EDITED_CHARS / 1024 / 1024} MB.`
  if (!Buffer.from(bytes.toString('utf8')).equals(bytes)) return 'It contains bytes that are not text.'
  if (bytes.includes('\r')) return 'It contains carriage returns, which a browser would remove.'
  return null
}

function describeFlags({ file, text, remembered }: FlagsProblem): FlagsQuestion {
  return { file, text, remembered: remembered ?? null }
}
