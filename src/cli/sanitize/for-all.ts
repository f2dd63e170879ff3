// An answer that is given once and holds for every file of events that follows.
import type { EventsDecision, EventsProblem } from '../../agents/sanitizer.ts'
import type { Answer, Ask } from './ask.ts'

export type ForAll = 'fix' | 'leave' | 'trash'

export async function askForAll(ask: Ask): Promise<Answer<ForAll | 'back'>> {
  return await ask.choose<ForAll | 'back'>('For this one and all that follow:', [
    { value: 'fix', label: 'Apply the suggested fix', hint: 'and ask where there is none' },
    { value: 'leave', label: 'Leave them as they are' },
    { value: 'trash', label: 'Put them into the trash' },
    { value: 'back', label: 'Back: decide for each' },
  ])
}

/** Undefined where this one has to be asked for all the same. */
export function settle(forAll: ForAll | undefined, { suggestion }: EventsProblem): EventsDecision | undefined {
  if (forAll === undefined) return undefined
  if (forAll !== 'fix') return { type: forAll }
  return suggestion === undefined ? undefined : { type: 'replace', bytes: suggestion.bytes, by: 'suggestion' }
}
