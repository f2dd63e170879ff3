// An answer that is given once and holds for everything of its kind that follows.
import type { EventsDecision, EventsProblem, NameDecision, NameProblem } from '../../agents/sanitizer.ts'
import type { Answer, Ask } from './ask.ts'

/** For files of events. */
export type ForAll = 'fix' | 'leave' | 'trash'
/** For folders without an id. */
export type NameForAll = 'take' | 'leave' | 'trash'

const BACK = { value: 'back', label: 'Back: decide for each' } as const

export async function askForAll(ask: Ask): Promise<Answer<ForAll | 'back'>> {
  return await ask.choose<ForAll | 'back'>('For this one and all that follow:', [
    { value: 'fix', label: 'Apply the suggested fix', hint: 'and ask where there is none' },
    { value: 'leave', label: 'Leave them as they are' },
    { value: 'trash', label: 'Move them to the trash' },
    BACK,
  ])
}

export async function askNameForAll(ask: Ask): Promise<Answer<NameForAll | 'back'>> {
  return await ask.choose<NameForAll | 'back'>('For this folder and all others without an id:', [
    { value: 'take', label: 'Use the proposed names', hint: 'the report lists them' },
    { value: 'leave', label: 'Leave them as they are' },
    { value: 'trash', label: 'Move them to the trash' },
    BACK,
  ])
}

/** Undefined where this one has to be asked for all the same. */
export function settle(forAll: ForAll | undefined, { suggestion }: EventsProblem): EventsDecision | undefined {
  if (forAll === undefined) return undefined
  if (forAll !== 'fix') return { type: forAll }
  return suggestion === undefined ? undefined : { type: 'replace', bytes: suggestion.bytes, by: 'suggestion' }
}

export function settleName(forAll: NameForAll, { proposal }: NameProblem): NameDecision {
  return forAll === 'take' ? { type: 'rename', name: proposal.name } : { type: forAll }
}
