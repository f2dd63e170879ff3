// Asks what to do with one damaged events file, after showing where it is broken.
import type { EventsDecision, EventsProblem } from '../../agents/sanitizer.ts'
import type { EarlierCopy } from '../../disk/state/edit-copy.ts'
import { cleanLine } from '../print/clean.ts'
import { plural } from '../print/words.ts'
import type { Ask, Choice } from './ask.ts'
import type { EditCopies } from './edit-copies.ts'
import { editOnce } from './edit-events.ts'
import type { FoundEditor } from './editor.ts'
import { excerptOf } from './excerpt.ts'
import type { EventsForAll } from './for-all.ts'
import { askEventsForAll, settleEvents } from './for-all.ts'
import { formatDiff } from './show-diff.ts'

export interface AskEventsOptions {
  ask: Ask
  editor: FoundEditor
  copies: EditCopies
  /** More such files follow, so one answer for all is offered. */
  hasOthers: boolean
  onForAll(forAll: EventsForAll): void
}

export type EventsAnswer = { type: 'decision'; decision: EventsDecision } | { type: 'skip' } | { type: 'stop' }

type Step = 'edit' | 'again' | 'fix' | 'leave' | 'trash' | 'all'

export async function askEvents(problem: EventsProblem, options: AskEventsOptions): Promise<EventsAnswer> {
  const { ask, copies } = options
  ask.say('', ...describeEvents(problem, ask.columns()))
  if (copies.has(problem)) ask.say('The file changed while you decided. Your edits are kept: "Edit a copy" opens them.')
  const earlier = copies.has(problem) ? undefined : copies.earlier(problem)
  let answer: EventsAnswer | undefined
  try {
    for (; answer === undefined; ) {
      const question = `What should be done with ${cleanLine(problem.conversation)}?`
      const chosen = await ask.choose<Step>(question, choicesFor(problem, options, earlier))
      if (chosen.type === 'answer' && chosen.value === 'again' && earlier !== undefined) copies.resume(problem, earlier)
      answer = chosen.type === 'answer' ? await take(chosen.value, problem, options) : chosen
    }
    return answer
  } finally {
    const lines = isEdited(answer) ? [] : copies.putAside(problem)
    if (lines.length > 0) ask.say(...lines)
  }
}

function isEdited(answer: EventsAnswer | undefined): boolean {
  return answer?.type === 'decision' && answer.decision.type === 'replace' && answer.decision.by === 'editor'
}

/** Undefined if the menu has to be shown again. */
async function take(step: Step, problem: EventsProblem, options: AskEventsOptions): Promise<EventsAnswer | undefined> {
  switch (step) {
    case 'leave':
    case 'trash':
    case 'fix':
      return decided(settleEvents(step, problem))
    case 'edit':
    case 'again': {
      const { editor } = options.editor
      const bytes = editor && (await editOnce(problem, options.copies, editor, options.ask))
      return decided(bytes && { type: 'replace', bytes, by: 'editor' })
    }
    case 'all': {
      const answer = await askEventsForAll(options.ask)
      if (answer.type === 'stop') return answer
      if (answer.type === 'skip' || answer.value === 'back') return undefined
      options.onForAll(answer.value)
      return decided(settleEvents(answer.value, problem))
    }
  }
}

function decided(decision: EventsDecision | undefined): EventsAnswer | undefined {
  return decision && { type: 'decision', decision }
}

function choicesFor(
  problem: EventsProblem,
  options: AskEventsOptions,
  earlier: EarlierCopy | undefined,
): Choice<Step>[] {
  const { editor } = options.editor
  const { suggestion, bytes, isInTrash } = problem
  // An existing copy of this run is always edited again.
  const offersEarlier = editor !== undefined && earlier !== undefined && !options.copies.has(problem)
  const list: (Choice<Step> | undefined)[] = [
    editor !== undefined && bytes.length > 0
      ? { value: 'edit', label: 'Edit a copy', hint: `in ${cleanLine(editor.name)}; used once it is valid` }
      : undefined,
    offersEarlier
      ? { value: 'again', label: 'Continue with your earlier copy', hint: `kept since ${timeOf(earlier.madeAt)}` }
      : undefined,
    suggestion && { value: 'fix', label: 'Apply the suggested fix', hint: 'the change shown above' },
    isInTrash
      ? { value: 'leave', label: 'Leave it in the trash' }
      : { value: 'leave', label: 'Leave it', hint: 'the agent may trash it at its next start' },
    isInTrash
      ? undefined
      : { value: 'trash', label: 'Move it to the trash', hint: 'rethread trash restore brings it back' },
    options.hasOthers ? { value: 'all', label: 'One answer for all that follow' } : undefined,
  ]
  return list.filter(choice => choice !== undefined)
}

function timeOf(date: Date): string {
  return date.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
}

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
      : ['', `Suggested fix: ${cleanLine(suggestion.text)}`, ...formatDiff(bytes, suggestion.bytes, columns)]),
  ]
}

function describeElements({ elements }: EventsProblem): string[] {
  const shown = elements.slice(0, MAX_ELEMENTS).map(({ index, text }) => `  event ${index}: ${cleanLine(text)}`)
  const more = elements.length - shown.length
  return more > 0 ? [...shown, `  … and ${plural(more, 'event')} more`] : shown
}
