// What is wrong with a file of events, before a person is asked about it.
import type { EventsProblem } from '../../agents/sanitizer.ts'
import { cleanLine } from '../clean.ts'
import { plural } from '../words.ts'
import { excerptOf } from './excerpt.ts'
import { describeChange } from './show-diff.ts'

const MAX_ELEMENTS = 5

export function describeEvents(problem: EventsProblem, columns: number): string[] {
  const { conversation, file, text, bytes, suggestion } = problem
  const [name, path] = [cleanLine(file), cleanLine(problem.path)]
  if (bytes.length === 0)
    return [
      `Conversation ${cleanLine(conversation)}: ${cleanLine(text)}. Its messages are gone.`,
      `If you have a copy of ${name}, leave it now, put the copy there, and run this again:`,
      path,
    ]
  return [
    `Conversation ${cleanLine(conversation)} has a corrupt ${name}.`,
    cleanLine(text),
    path,
    ...excerptOf(bytes, problem, columns),
    ...describeElements(problem),
    ...(suggestion === undefined
      ? []
      : ['', `Suggested fix: ${cleanLine(suggestion.text)}`, ...describeChange(bytes, suggestion.bytes, columns)]),
  ]
}

function describeElements({ elements }: EventsProblem): string[] {
  const shown = elements.slice(0, MAX_ELEMENTS).map(({ index, text }) => `  event ${index}: ${cleanLine(text)}`)
  const more = elements.length - shown.length
  return more > 0 ? [...shown, `  … and ${plural(more, 'event')} more`] : shown
}
