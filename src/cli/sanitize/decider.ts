// The interactive decider: lists every problem that needs a decision, then asks for each, until one answer is
// given for all.
import type { Decider, Problem, SanitizeReport } from '../../agents/sanitizer.ts'
import { formatNumber } from '../../model/format-number.ts'
import { cleanLine } from '../print/clean.ts'
import { plural } from '../print/words.ts'
import type { Ask } from './ask.ts'
import { askEvents } from './ask-events.ts'
import { askFlags } from './ask-flags.ts'
import { askName } from './ask-name.ts'
import { EditCopies } from './edit-copies.ts'
import type { FoundEditor } from './editor.ts'
import type { EventsForAll, NameForAll } from './for-all.ts'
import { settleEvents, settleName } from './for-all.ts'

export interface DeciderOptions {
  ask: Ask
  editor: FoundEditor
  /** The state folder, which holds the copies that are edited. */
  state: string
  /** Ctrl-C: finished changes stay, no other is started. */
  onStop(): void
  /** Clears a progress bar on the same terminal. */
  beforeAsking?(): void
}

/** Thrown from a question when the user stops the run. The caller changes nothing more. */
export class Stopped extends Error {}

export interface EndedDecider extends Decider {
  /** Called at the end, with the report if there is one. */
  end(report?: SanitizeReport): void
}

const MAX_LISTED = 20

export function makeInteractiveDecider(options: DeciderOptions): EndedDecider {
  const { ask, beforeAsking = () => {} } = options
  const copies = new EditCopies(options.state)
  const stop = (): never => {
    options.onStop()
    throw new Stopped('Stopped by the user.')
  }
  /** How many problems of each kind remain. */
  const left = { name: 0, events: 0, flags: 0 }
  const forAll: { name?: NameForAll; events?: EventsForAll } = {}
  return {
    isInteractive: true,
    async announce(problems) {
      beforeAsking()
      for (const { about } of problems) left[about]++
      ask.say(...listOf(problems), ...options.editor.notes.map(cleanLine))
    },
    async name(problem) {
      beforeAsking()
      left.name--
      if (forAll.name !== undefined) return settleName(forAll.name, problem)
      const onForAll = (given: NameForAll): void => {
        forAll.name = given
      }
      const answer = await askName(problem, { ask, hasOthers: left.name > 0, onForAll })
      if (answer.type === 'stop') return stop()
      return answer.type === 'skip' ? { type: 'leave' } : answer
    },
    async events(problem) {
      beforeAsking()
      left.events--
      const settled = settleEvents(forAll.events, problem)
      if (settled !== undefined) return settled
      const onForAll = (given: EventsForAll): void => {
        forAll.events = given
      }
      const answer = await askEvents(problem, { ...options, copies, hasOthers: left.events > 0, onForAll })
      if (answer.type === 'decision') return answer.decision
      return answer.type === 'stop' ? stop() : { type: 'leave' }
    },
    end(report) {
      const lines = copies.end(report)
      if (lines.length === 0) return
      beforeAsking()
      ask.say('', ...lines)
    },
    async flags(problem) {
      beforeAsking()
      const answer = await askFlags(problem, ask)
      return answer.type === 'stop' ? stop() : answer
    },
    async mayTrashMany(count, total) {
      beforeAsking()
      ask.say(
        '',
        `${formatNumber(count)} of ${plural(total, 'conversation')} would go to the trash at once. A disk that is only partly mounted looks the same, so check first that all of your files are there.`,
      )
      const answer = await ask.choose('Move them to the trash anyway?', [
        { value: 'no', label: 'No, leave them where they are' },
        { value: 'yes', label: `Yes, all ${formatNumber(count)}` },
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
  // Copies of a conversation in other storages have the same name.
  const count = new Set(problems.map(({ conversation }) => conversation)).size
  const title =
    count === 1 ? 'One conversation needs your decision:' : `${formatNumber(count)} conversations need your decision:`
  return [title, ...lines, ...(more > 0 ? [`  … and ${formatNumber(more)} more`] : [])]
}
