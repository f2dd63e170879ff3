// Repairs a store right before its agent starts, because the agent would trash what it cannot read. Prints
// nothing if everything is healthy.
import type { SanitizeReport } from '../../agents/sanitizer.ts'
import type { Context } from '../../catalog/context.ts'
import { hasErrorCode, RethreadError } from '../../model/errors.ts'
import type { Invocation } from '../command.ts'
import { addReports, printReport } from './print-report.ts'
import { eachWithStore, sanitizeContextOf, sanitizersOf, withDecider } from './with-decider.ts'

/** `left`: the agent would still trash something. `interrupted`: the user stopped the repair. */
export type Readiness = 'ready' | 'left' | 'interrupted'

export async function sanitizeBefore(
  invocation: Invocation,
  context: Context,
  folder: string | undefined,
): Promise<Readiness> {
  const place = sanitizeContextOf(context, folder)
  const sanitizers = await sanitizersOf(context)
  const report = await withDecider(
    invocation,
    context,
    () => {},
    async ({ decide, signal }) =>
      addReports(
        await eachWithStore(sanitizers, ({ sanitizer }) =>
          sanitizer.run({ ...place, mode: 'repair', decide, signal, salvage: true }),
        ),
      ),
  ).catch((error: unknown) => {
    // Without a store there is nothing to lose.
    if (error instanceof RethreadError && hasErrorCode(error, 'not-found')) return undefined
    throw error
  })
  if (report === undefined) return 'ready'
  if (hasNews(report)) printReport(invocation.output, report, { isCheck: false, folder })
  if (report.isInterrupted) return 'interrupted'
  return report.left.length + report.blocked.length > 0 ? 'left' : 'ready'
}

/** Notices and conversations in use are not a reason to print something before every start. */
function hasNews({ repaired, trashed, degraded, blocked, lockedOut, left }: SanitizeReport): boolean {
  return [repaired, trashed, degraded, blocked, lockedOut, left].some(part => part.length > 0)
}
