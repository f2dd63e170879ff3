// Decides about events that are damaged in every copy: the user decides, or the decision table if no user can
// be asked.
import type { EventsProblem } from '../../sanitizer.ts'
import { classifyEvents, type EventsFacts } from '../classify/classify-file.ts'
import type { CopyState } from '../classify/index.ts'
import { EVENTS, TRASHED } from '../names.ts'
import type { FilePlan } from './apply-files.ts'
import type { Diagnosis, EventsDiagnosis } from './diagnosis.ts'
import { makeEventsProblem, validateEvents } from './events-problem.ts'
import type { SanitizeJob } from './job.ts'
import { bytesOf, copied } from './plan-files.ts'

type EventsOutcome =
  | { type: 'plans'; plans: FilePlan[] }
  | { type: 'trash'; error: string }
  /** The events stay unchanged. The other files are repaired. */
  | { type: 'locked-out' | 'left'; text: string }
  | { type: 'blocked'; text: string }

export async function planEvents(
  job: SanitizeJob,
  { events, copies }: Extract<Diagnosis, { type: 'repair' }>,
): Promise<EventsOutcome> {
  switch (events.type) {
    case 'sound':
      return { type: 'plans', plans: [] }
    case 'copy':
      return { type: 'plans', plans: events.to.map(copy => copied(copy, EVENTS, events.from)) }
    case 'decide':
      return job.options.decide.isInteractive ? await ask(job, events, copies) : bySalvage(job, events, copies)
  }
}

type Decide = Extract<EventsDiagnosis, { type: 'decide' }>

async function ask(job: SanitizeJob, diagnosis: Decide, copies: readonly CopyState[]): Promise<EventsOutcome> {
  const { error } = diagnosis
  const { copy, problem } = bestProblem(diagnosis.copy, copies)
  const decision = await job.options.decide.events(problem)
  switch (decision.type) {
    case 'trash':
      return { type: 'trash', error }
    case 'leave':
      return { type: 'left', text: `${error}. Kept as is, as you chose.${warning(diagnosis)}` }
    case 'replace': {
      const invalid = validateEvents(decision.bytes)
      if (invalid !== undefined)
        return { type: 'left', text: `what should have replaced it cannot be loaded either: ${invalid.text}` }
      const isSuggested = decision.by === 'suggestion'
      const text = isSuggested ? `as suggested: ${problem.suggestion?.text ?? 'by the fix'}` : 'with the edited text'
      return { type: 'plans', plans: replaceAll(copies, copy, decision.bytes, text, decision.by) }
    }
  }
}

function warning({ fallback, copy }: Decide): string {
  if (copy.folder.place === TRASHED) return ' It stays in the trash.'
  return fallback === 'trash' ? ' The next command of JP moves it to its trash.' : ''
}

/** The problem of the copy whose fix keeps most bytes; without a fix, that of the copy that JP reads. */
function bestProblem(first: CopyState, copies: readonly CopyState[]): { copy: CopyState; problem: EventsProblem } {
  const candidates = [first, ...copies.filter(copy => copy !== first)].map(copy => ({
    copy,
    problem: makeEventsProblem(copy.folder, copy.files[EVENTS], bytesOf(copy, EVENTS) ?? Buffer.alloc(0)),
  }))
  const kept = ({ problem }: (typeof candidates)[number]): number => problem.suggestion?.bytes.length ?? 0
  return candidates.reduce((best, one) => (kept(one) > kept(best) ? one : best))
}

/** Whether a fix is known that keeps some events. */
export function canBeSalvaged(first: CopyState, copies: readonly CopyState[]): boolean {
  return bestProblem(first, copies).problem.suggestion !== undefined
}

function bySalvage(
  job: SanitizeJob,
  { copy: first, fallback, error }: Decide,
  copies: readonly CopyState[],
): EventsOutcome {
  if (fallback === 'blocked') return { type: 'blocked', text: error }
  if (job.options.salvage) {
    const { copy, problem } = bestProblem(first, copies)
    const { suggestion } = problem
    if (suggestion !== undefined) {
      const ranges = suggestion.removals.map(({ start, end }) => `${start}-${end}`).join(', ')
      const text = `as suggested: ${suggestion.text}${ranges === '' ? '' : ` (bytes ${ranges} are only in the quarantine now)`}`
      return { type: 'plans', plans: replaceAll(copies, copy, suggestion.bytes, text, 'suggestion') }
    }
  }
  return fallback === 'trash' ? { type: 'trash', error } : { type: 'locked-out', text: error }
}

/** Every damaged copy gets the same bytes and the modification time of the copy that they come from. */
function replaceAll(
  copies: readonly CopyState[],
  primary: CopyState,
  bytes: Buffer,
  how: string,
  source: 'editor' | 'suggestion',
): FilePlan[] {
  const modifiedNs = primary.files[EVENTS].mark?.mtimeNs
  const text = `repaired ${EVENTS} ${how}`
  return copies.map(copy => ({ copy, file: EVENTS, bytes, modifiedNs, bucket: 'repaired', text, source }))
}

/** Returns the facts about the events of a copy after the plans are applied. */
export function eventsAfter(plans: readonly FilePlan[]): (copy: CopyState) => EventsFacts | undefined {
  const known = new Map<Buffer, EventsFacts>()
  return copy => {
    const bytes = plans.find(plan => plan.copy === copy && plan.file === EVENTS)?.bytes
    if (bytes === undefined) return copy.events
    const facts = known.get(bytes) ?? classifyEvents([bytes]).events
    known.set(bytes, facts)
    return facts
  }
}
