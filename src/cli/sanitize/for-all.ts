// An answer that holds for every later problem of its kind.
import type { EventsDecision, EventsProblem, NameDecision, NameProblem } from '../../agents/sanitizer.ts'
import type { Answer, Ask } from './ask.ts'

/** For events files. */
export type EventsForAll = 'fix' | 'leave' | 'trash'
/** For folders without an id in their name. */
export type NameForAll = 'take' | 'leave' | 'trash'

const BACK = { value: 'back', label: 'Back: decide for each' } as const

export async function askEventsForAll(ask: Ask): Promise<Answer<EventsForAll | 'back'>> {
  return await ask.choose<EventsForAll | 'back'>('For this one and all that follow:', [
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

/** Undefined if the user has to be asked anyway. */
export function settleEvents(
  forAll: EventsForAll | undefined,
  { suggestion }: EventsProblem,
): EventsDecision | undefined {
  if (forAll === undefined) return undefined
  if (forAll !== 'fix') return { type: forAll }
  return suggestion === undefined ? undefined : { type: 'replace', bytes: suggestion.bytes, by: 'suggestion' }
}

export function settleName(forAll: NameForAll, { proposal }: NameProblem): NameDecision {
  return forAll === 'take' ? { type: 'rename', name: proposal.name } : { type: forAll }
}
