// A person decides: all that needs them is listed, then each is asked for, until one answer is given for all.
import type { Decider, Problem } from '../../agents/sanitizer.ts'
import { cleanLine } from '../clean.ts'
import { plural } from '../words.ts'
import type { Ask } from './ask.ts'
import { askEvents } from './ask-events.ts'
import { askFlags } from './ask-flags.ts'
import type { FoundEditor } from './editor.ts'
import type { ForAll } from './for-all.ts'
import { settle } from './for-all.ts'

export interface DeciderOptions {
  ask: Ask
  editor: FoundEditor
  /** Our own folder, for the copies that are edited. */
  state: string
  /** Ctrl-C: what is finished stays, nothing else is begun. */
  onStop(): void
  /** A bar that is drawn on the same terminal must be gone. */
  beforeAsking?(): void
}

/** Thrown out of a question when the person ends everything; whoever asks changes nothing more. */
export class Stopped extends Error {}

const MAX_LISTED = 20

export function makeInteractiveDecider(options: DeciderOptions): Decider {
  const { ask, beforeAsking = () => {} } = options
  const stop = (): never => {
    options.onStop()
    throw new Stopped('The person has ended it.')
  }
  let announced = 0
  let asked = 0
  let forAll: ForAll | undefined
  return {
    isInteractive: true,
    async announce(problems) {
      beforeAsking()
      announced = problems.length
      ask.say(...listOf(problems), ...options.editor.notes.map(cleanLine))
    },
    async events(problem) {
      beforeAsking()
      asked++
      const settled = settle(forAll, problem)
      if (settled !== undefined) return settled
      const hasOthers = asked < announced
      const onForAll = (given: ForAll): void => {
        forAll = given
      }
      const answer = await askEvents(problem, { ...options, hasOthers, onForAll })
      if (answer.type === 'decision') return answer.decision
      return answer.type === 'stop' ? stop() : { type: 'leave' }
    },
    async flags(problem) {
      beforeAsking()
      asked++
      const answer = await askFlags(problem, ask)
      return answer.type === 'stop' ? stop() : answer
    },
    async mayTrashMany(count, total) {
      beforeAsking()
      ask.say(
        '',
        `${count.toLocaleString('en')} of ${plural(total, 'conversation')} would go to the trash at once. A disk that is only half there looks the same: see first whether all of your files are.`,
      )
      const answer = await ask.choose('Put them into the trash all the same?', [
        { value: 'no', label: 'No, leave them where they are' },
        { value: 'yes', label: `Yes, all ${count.toLocaleString('en')}` },
      ])
      if (answer.type === 'stop') return stop()
      return answer.type === 'answer' && answer.value === 'yes'
    },
  }
}

function listOf(problems: readonly Problem[]): string[] {
  const lines = problems
    .slice(0, MAX_LISTED)
    .map(({ conversation, text }) => `  ${cleanLine(conversation)}: ${cleanLine(text)}`)
  const more = problems.length - lines.length
  const title = problems.length === 1 ? 'One conversation needs you:' : `${problems.length} conversations need you:`
  return [title, ...lines, ...(more > 0 ? [`  … and ${more.toLocaleString('en')} more`] : [])]
}

/** Nobody is there: what the rules say is done, and nothing beyond. */
export const silentDecider: Decider = {
  isInteractive: false,
  announce: async () => {},
  events: async () => ({ type: 'leave' }),
  flags: async () => ({ type: 'skip' }),
  mayTrashMany: async () => false,
}
