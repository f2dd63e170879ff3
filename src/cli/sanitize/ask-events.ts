// One damaged file of events: where it is broken, and what a person can do about it.
import type { EventsDecision, EventsProblem } from '../../agents/sanitizer.ts'
import type { EditCopy } from '../../disk/edit-copy.ts'
import { makeEditCopy } from '../../disk/edit-copy.ts'
import { cleanLine } from '../clean.ts'
import type { Ask, Choice } from './ask.ts'
import { describeEvents } from './describe-events.ts'
import { editOnce } from './edit-events.ts'
import type { FoundEditor } from './editor.ts'
import type { ForAll } from './for-all.ts'
import { askForAll, settle } from './for-all.ts'

export interface AskEventsOptions {
  ask: Ask
  editor: FoundEditor
  state: string
  /** There are more to come, so that one answer can serve all. */
  hasOthers: boolean
  onForAll(forAll: ForAll): void
}

export type EventsAnswer = { type: 'decision'; decision: EventsDecision } | { type: 'skip' } | { type: 'stop' }

type Step = 'edit' | 'fix' | 'leave' | 'trash' | 'all'

export async function askEvents(problem: EventsProblem, options: AskEventsOptions): Promise<EventsAnswer> {
  const { ask } = options
  ask.say('', ...describeEvents(problem, ask.columns()))
  const copies: EditCopy[] = []
  const copyOf = (): EditCopy => {
    const copy = copies[0] ?? makeEditCopy(options.state, problem.conversation, problem.file, problem.bytes)
    copies[0] = copy
    return copy
  }
  try {
    for (;;) {
      const question = `What shall be done with ${cleanLine(problem.conversation)}?`
      const answer = await ask.choose<Step>(question, choicesFor(problem, options))
      if (answer.type !== 'answer') return answer
      const done = await take(answer.value, problem, copyOf, options)
      if (done !== undefined) return done
    }
  } finally {
    for (const copy of copies) putAway(copy, problem, ask)
  }
}

/** Undefined where the menu has to be shown again. */
async function take(
  step: Step,
  problem: EventsProblem,
  copyOf: () => EditCopy,
  options: AskEventsOptions,
): Promise<EventsAnswer | undefined> {
  switch (step) {
    case 'leave':
    case 'trash':
    case 'fix':
      return decided(settle(step, problem))
    case 'edit': {
      const { editor } = options.editor
      const bytes = editor && (await editOnce(problem, copyOf(), editor, options.ask))
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

function choicesFor({ suggestion, bytes }: EventsProblem, options: AskEventsOptions): Choice<Step>[] {
  const { editor } = options.editor
  const list: (Choice<Step> | undefined)[] = [
    editor !== undefined && bytes.length > 0
      ? { value: 'edit', label: 'Edit a copy', hint: `in ${cleanLine(editor.name)}; taken once it is right` }
      : undefined,
    suggestion && { value: 'fix', label: 'Apply the suggested fix', hint: 'the change shown above' },
    { value: 'leave', label: 'Leave it', hint: 'the agent itself may trash it when it starts next' },
    { value: 'trash', label: 'Put it into the trash', hint: 'rethread trash restore brings it back' },
    options.hasOthers ? { value: 'all', label: 'One answer for all that follow' } : undefined,
  ]
  return list.filter(choice => choice !== undefined)
}

/** What a person has typed is not thrown away because it is not right yet. */
function putAway(copy: EditCopy, { bytes, validate }: EventsProblem, ask: Ask): void {
  const edited = contentOf(copy)
  if (edited === undefined || edited.equals(bytes) || validate(edited) === undefined) copy.remove()
  else ask.say(`What you have edited is kept: ${cleanLine(copy.path)}`)
}

function contentOf(copy: EditCopy): Buffer | undefined {
  try {
    return copy.read()
  } catch {
    // An editor may have taken it away; the original is where it was.
    return undefined
  }
}
