// One damaged file of events: where it is broken, and what a person can do about it.
import type { EventsDecision, EventsProblem } from '../../agents/sanitizer.ts'
import type { EarlierCopy } from '../../disk/state/edit-copy.ts'
import { cleanLine } from '../clean.ts'
import type { Ask, Choice } from './ask.ts'
import { describeEvents } from './describe-events.ts'
import type { EditCopies } from './edit-copies.ts'
import { editOnce } from './edit-events.ts'
import type { FoundEditor } from './editor.ts'
import type { ForAll } from './for-all.ts'
import { askForAll, settle } from './for-all.ts'

export interface AskEventsOptions {
  ask: Ask
  editor: FoundEditor
  copies: EditCopies
  /** There are more to come, so that one answer can serve all. */
  hasOthers: boolean
  onForAll(forAll: ForAll): void
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
      if (chosen.type === 'answer' && chosen.value === 'again' && earlier !== undefined)
        copies.goOnWith(problem, earlier)
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

/** Undefined where the menu has to be shown again. */
async function take(step: Step, problem: EventsProblem, options: AskEventsOptions): Promise<EventsAnswer | undefined> {
  switch (step) {
    case 'leave':
    case 'trash':
    case 'fix':
      return decided(settle(step, problem))
    case 'edit':
    case 'again': {
      const { editor } = options.editor
      const bytes = editor && (await editOnce(problem, options.copies, editor, options.ask))
      return decided(bytes && { type: 'replace', bytes, by: 'editor' })
    }
    case 'all': {
      const answer = await askForAll(options.ask)
      if (answer.type === 'stop') return answer
      if (answer.type === 'skip' || answer.value === 'back') return undefined
      options.onForAll(answer.value)
      return decided(settle(answer.value, problem))
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
  // Once there is a copy, editing goes on with that one.
  const goesOn = editor !== undefined && earlier !== undefined && !options.copies.has(problem)
  const list: (Choice<Step> | undefined)[] = [
    editor !== undefined && bytes.length > 0
      ? { value: 'edit', label: 'Edit a copy', hint: `in ${cleanLine(editor.name)}; used once it is valid` }
      : undefined,
    goesOn
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
