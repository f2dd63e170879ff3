// The user's decisions about one conversation, as the page sent them. They are validated before anything is
// changed, then passed to the sanitizer.
import type {
  Decider,
  EventsDecision,
  EventsProblem,
  FlagsDecision,
  FlagsProblem,
  NameDecision,
  Preview,
} from '../../agents/sanitizer.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SanitizeDecisions } from '../api.ts'
import { markOf, questionsIn } from './describe.ts'

/** Throws if a decision answers no open question, or is about bytes that have changed. */
export function throwIfUnfit(decisions: SanitizeDecisions, preview: Preview): void {
  const { name, events, flags } = questionsIn(preview)
  if (decisions.name !== undefined && decisions.name.type !== 'leave') {
    if (name === undefined) throw outdated()
    const wrong = decisions.name.type === 'rename' ? name.validate(decisions.name.name) : undefined
    if (wrong !== undefined) throw unfit(wrong)
  }
  if (decisions.events !== undefined && decisions.events.type !== 'leave') {
    if (events === undefined || markOf(events) !== decisions.events.mark) throw outdated()
    const invalid = invalidIn(decisions.events, events)
    if (invalid !== undefined) throw unfit(invalid)
  }
  if (decisions.flags != null) {
    if (flags === undefined) throw outdated()
    const result = flags.parse(decisions.flags.line)
    if (result.type === 'wrong') throw unfit(result.text)
  }
}

function invalidIn(decision: NonNullable<SanitizeDecisions['events']>, problem: EventsProblem): string | undefined {
  if (decision.type === 'suggestion' && problem.suggestion === undefined) return 'There is no suggested fix.'
  if (decision.type !== 'replace') return undefined
  const invalid = problem.validate(Buffer.from(decision.content))
  return invalid && `This cannot be loaded either: ${invalid.text} (line ${invalid.line}, column ${invalid.column}).`
}

/** Files that have changed since are left unchanged. */
export function makeDecider(decisions: SanitizeDecisions): Decider {
  return {
    isInteractive: true,
    async announce() {},
    name: async (): Promise<NameDecision> => decisions.name ?? { type: 'leave' },
    events: async problem => decideEvents(decisions.events, problem),
    flags: async problem => decideFlags(decisions.flags, problem),
    mayTrashMany: async () => false,
  }
}

function decideEvents(decision: SanitizeDecisions['events'], problem: EventsProblem): EventsDecision {
  if (decision === undefined || decision.type === 'leave' || markOf(problem) !== decision.mark) return { type: 'leave' }
  switch (decision.type) {
    case 'replace':
      return { type: 'replace', bytes: Buffer.from(decision.content), by: 'editor' }
    case 'suggestion':
      return problem.suggestion === undefined
        ? { type: 'leave' }
        : { type: 'replace', bytes: problem.suggestion.bytes, by: 'suggestion' }
    case 'trash':
      return { type: 'trash' }
  }
}

function decideFlags(decision: SanitizeDecisions['flags'], problem: FlagsProblem): FlagsDecision {
  if (decision == null) return { type: 'skip' }
  const result = problem.parse(decision.line)
  return result.type === 'delta' ? { type: 'flags', result } : { type: 'skip' }
}

function outdated(): RethreadError {
  return new RethreadError({
    code: 'plan-outdated',
    text: 'The conversation has changed since you decided. Nothing was done.',
    hint: 'Check it again, then decide.',
  })
}

function unfit(text: string): RethreadError {
  return new RethreadError({ code: 'usage', text, hint: 'Nothing was changed. Correct it, then try again.' })
}
