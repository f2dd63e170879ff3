// rethread sanitize

import type { SanitizePhase, SanitizeReport } from '../../agents/sanitizer.ts'
import type { Context } from '../../catalog/context.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn } from '../command.ts'
import type { Progress } from '../progress.ts'
import { DECIDING_OPTIONS } from '../sanitize/options.ts'
import type { Asking } from '../sanitize/session.ts'

const LABELS: Record<SanitizePhase, string> = { examining: 'Examining', repairing: 'Repairing' }

export const sanitizeCommand: CommandDefinition = {
  name: 'sanitize',
  arguments: '[dir]',
  summary: 'mends conversations that are folders of files, and asks you where only you can decide',
  options: [{ flags: '--check', description: 'say what is wrong, and change nothing' }, ...DECIDING_OPTIONS],
  help: `Agents that keep each conversation in a folder of its own put the whole conversation into a trash when one of its files is
damaged, without a word. Run this first, in the folder you worked in, and before you start the agent again.

What can be rebuilt is rebuilt. Where only you can know, you are asked: a damaged file of events can be edited (a copy of it: the
original is exchanged only once yours is right), mended as suggested, left, or put into the trash; flags of the first call can be
typed again; a folder that has lost the id in its name gets a new one. Nothing is deleted: a damaged file stays beside the new
one, a trashed conversation comes back with "rethread trash restore", and "rethread undo" takes a repair back. Ctrl-D leaves one
out; Ctrl-C ends it and keeps what is finished.

Without a terminal, with --non-interactive, with CI set and with TERM=dumb nothing is asked: a damaged file of events then sends
its conversation to the trash (--salvage keeps what can be read of it), as a name without an id does, and lost flags are done
without.

Exit status: 0 all is well or mended, 3 something is missing now (degraded), 4 something was trashed, 5 something is left damaged,
130 interrupted.

Examples:
  rethread sanitize --check
  rethread sanitize
  rethread sanitize ~/projects/shop --editor "code --wait"
  rethread sanitize --non-interactive --salvage --json`,
  async run(invocation) {
    const { addReports, printReport, statusOf } = await import('../sanitize/print-report.ts')
    const { withDecider } = await import('../sanitize/session.ts')
    const { makeProgress } = await import('../progress.ts')
    const { cleanJson } = await import('../clean.ts')
    const context = await invocation.context()
    const progress = makeProgress(process.stderr, LABELS.examining, 'conversations')
    const clear = (): void => progress.clear()
    const about = { isCheck: isOn(invocation, 'check'), folder: invocation.args[0] }
    const begun: SanitizeReport[] = []
    const report = await withDecider(invocation, context, clear, asking =>
      sanitize(invocation, context, progress, { ...asking, begun }),
    )
      .catch((error: unknown) => {
        clear()
        // What was done before is done all the same.
        if (begun.some(hasLines)) printReport(invocation.output, addReports(begun), about)
        throw error
      })
      .finally(clear)
    printReport(invocation.output, report, about)
    if (invocation.isJson) await invocation.output.write(`${cleanJson(report, 2)}\n`)
    return statusOf(report)
  },
}

async function sanitize(
  invocation: Invocation,
  context: Context,
  progress: Progress,
  { decide, signal, begun }: Asking & { begun: SanitizeReport[] },
): Promise<SanitizeReport> {
  const { addReports } = await import('../sanitize/print-report.ts')
  const { eachWithStore, placeOf, sanitizersOf } = await import('../sanitize/session.ts')
  const place = placeOf(context, invocation.args[0])
  const reports = await eachWithStore(await sanitizersOf(context), ({ sanitizer }) =>
    sanitizer.run({
      ...place,
      mode: isOn(invocation, 'check') ? 'check' : 'repair',
      decide,
      salvage: isOn(invocation, 'salvage'),
      force: isOn(invocation, 'force'),
      signal,
      onBegin: report => void begun.push(report),
      onProgress: (done, total, phase) => progress.update(done, total, LABELS[phase]),
    }),
  )
  return addReports(reports)
}

function hasLines(report: SanitizeReport): boolean {
  return Object.values(report).some(part => Array.isArray(part) && part.length > 0)
}
