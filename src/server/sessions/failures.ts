// Everything that could not be read. The list is bounded: ten thousand unreadable files are not ten thousand
// lines in every answer.
import type { Failure } from '../../model/errors.ts'
import type { Entry } from './entries.ts'

const MAX_FAILURES = 100

export function collectFailures(
  death: Failure | undefined,
  ofStores: readonly Failure[],
  entries: Iterable<Entry>,
): Failure[] {
  const all = [...(death === undefined ? [] : [death]), ...ofStores]
  for (const { failure } of entries) if (failure !== undefined) all.push(failure)
  const failures = withoutRepeats(all)
  const [first] = failures.slice(MAX_FAILURES)
  if (first === undefined) return failures
  const text = `${failures.length - MAX_FAILURES} more could not be read.`
  return [...failures.slice(0, MAX_FAILURES), { ...first, path: '', text, hint: 'See all of them: rethread list' }]
}

/** Both the store and each session in it report an unreadable database. */
function withoutRepeats(failures: readonly Failure[]): Failure[] {
  return [...new Map(failures.map(failure => [`${failure.agent}\n${failure.code}\n${failure.path}`, failure])).values()]
}
