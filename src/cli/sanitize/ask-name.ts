// Asks for the name of a conversation folder that has no id in its name.
import type { NameDecision, NameProblem } from '../../agents/sanitizer.ts'
import { cleanLine } from '../print/clean.ts'
import type { Ask, Choice } from './ask.ts'
import type { NameForAll } from './for-all.ts'
import { askNameForAll, settleName } from './for-all.ts'

export interface AskNameOptions {
  ask: Ask
  /** More such folders follow, so one answer for all is offered. */
  hasOthers: boolean
  onForAll(forAll: NameForAll): void
}

export type NameReply = NameDecision | { type: 'skip' } | { type: 'stop' }

type Step = 'take' | 'type' | 'leave' | 'trash' | 'all'

export async function askName(problem: NameProblem, options: AskNameOptions): Promise<NameReply> {
  const { ask } = options
  ask.say('', ...describe(problem))
  for (;;) {
    const question = `What should be done with ${cleanLine(problem.conversation)}?`
    const answer = await ask.choose<Step>(question, choicesFor(options))
    if (answer.type !== 'answer') return answer
    const done = await take(answer.value, problem, options)
    if (done !== undefined) return done
  }
}

function describe({ conversation, path, proposal }: NameProblem): string[] {
  return [
    `The folder ${cleanLine(conversation)} holds a conversation, but its name does not begin with an id.`,
    cleanLine(path),
    `Proposed name: ${cleanLine(proposal.name)}`,
    `It is derived from ${cleanLine(proposal.source)}.`,
  ]
}

function choicesFor({ hasOthers }: AskNameOptions): Choice<Step>[] {
  const list: (Choice<Step> | undefined)[] = [
    { value: 'take', label: 'Use the proposed name', hint: 'then its files are checked' },
    { value: 'type', label: 'Type another name' },
    { value: 'leave', label: 'Leave it', hint: 'the agent may trash it at its next start' },
    { value: 'trash', label: 'Move it to the trash', hint: 'rethread trash restore brings it back' },
    hasOthers ? { value: 'all', label: 'One answer for all such folders' } : undefined,
  ]
  return list.filter(choice => choice !== undefined)
}

/** Undefined if the menu has to be shown again. */
async function take(step: Step, problem: NameProblem, options: AskNameOptions): Promise<NameReply | undefined> {
  switch (step) {
    case 'take':
    case 'leave':
    case 'trash':
      return settleName(step, problem)
    case 'type':
      return await typeName(problem, options.ask)
    case 'all': {
      const answer = await askNameForAll(options.ask)
      if (answer.type === 'stop') return answer
      if (answer.type === 'skip' || answer.value === 'back') return undefined
      options.onForAll(answer.value)
      return settleName(answer.value, problem)
    }
  }
}

/** Repeats until the name is valid. An empty line or Ctrl-D returns to the menu. */
async function typeName({ proposal, validate }: NameProblem, ask: Ask): Promise<NameReply | undefined> {
  let line = cleanLine(proposal.name)
  for (;;) {
    const typed = await ask.line('Enter its new name (or empty the line to go back):', line)
    if (typed.type === 'stop') return typed
    if (typed.type === 'skip') return undefined
    line = typed.value.trim()
    if (line === '') return undefined
    const wrong = validate(line)
    if (wrong === undefined) return { type: 'rename', name: line }
    ask.say(`That cannot be used: ${cleanLine(wrong)}`)
  }
}
