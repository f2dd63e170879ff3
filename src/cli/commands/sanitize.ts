// rethread sanitize
import type { SanitizePhase, SanitizeReport } from '../../agents/sanitizer.ts'
import type { Context } from '../../catalog/context.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn } from '../command.ts'
import { exitOfReport } from '../exit-status.ts'
import type { Progress } from '../print/progress.ts'
import type { Asking } from '../sanitize/with-decider.ts'

const LABELS: Record<SanitizePhase, string> = { examining: 'Examining', repairing: 'Repairing' }

/** Shared with `trash restore`. */
export const DECIDING_OPTIONS = [
  {
    flags: '--non-interactive',
    description: 'Ask nothing: repair what can be repaired without you',
  },
  { flags: '--salvage', description: 'If nothing is asked, keep the readable start of a damaged events file' },
  { flags: '--force', description: 'Continue even if many conversations would go to the trash' },
  { flags: '--editor <cmd>', description: 'Set the editor for damaged files, such as "code --wait"' },
]

export const sanitizeCommand: CommandDefinition = {
  name: 'sanitize',
  arguments: '[dir]',
  summary: 'Repair conversations that are folders of files, and ask where only you can decide',
  options: [{ flags: '--check', description: 'Report what is wrong, and change nothing' }, ...DECIDING_OPTIONS],
  help: `Some agents keep each conversation in its own folder, and move the whole folder to a trash, without
a message, when one of its files is damaged. Run this first, in the project folder, before you start
the agent again.

rethread rebuilds every file it can. It asks where only you can decide: a damaged events file can be
edited (as a copy; the original is replaced only once yours is valid), repaired as suggested, kept
as is, or moved to the trash; the flags of the first call can be typed again; a folder that has lost
the id in its name gets a new one. Nothing is deleted: a damaged file stays beside the new one,
"rethread trash restore" restores a trashed conversation, and "rethread undo" undoes a repair.
Ctrl-D skips a conversation; Ctrl-C stops and keeps what is finished.

Without a terminal, with --non-interactive, with CI set and with TERM=dumb nothing is asked: a
damaged events file then sends its conversation to the trash (--salvage keeps its readable part), as
does a name without an id, and lost flags are left out.

Exit status: 0 everything is healthy or repaired, 3 something is missing now (degraded), 4 something
was trashed, 5 something is left damaged, 130 interrupted.

Examples:
  rethread sanitize --check
  rethread sanitize
  rethread sanitize ~/projects/shop --editor "code --wait"
  rethread sanitize --non-interactive --salvage --json`,
  async run(invocation) {
    const { addReports, printReport } = await import('../sanitize/print-report.ts')
    const { withDecider } = await import('../sanitize/with-decider.ts')
    const { makeProgress } = await import('../print/progress.ts')
    const { cleanJson } = await import('../print/clean.ts')
    const context = await invocation.context()
    const progress = makeProgress(process.stderr, LABELS.examining, 'conversations')
    const clear = (): void => progress.clear()
    const about = { isCheck: isOn(invocation, 'check'), folder: invocation.args[0] }
    const started: SanitizeReport[] = []
    const report = await withDecider(invocation, context, clear, asking =>
      sanitize(invocation, context, progress, { ...asking, started }),
    )
      .catch((error: unknown) => {
        clear()
        // The changes before the error stay, so they are reported.
        if (started.some(hasLines)) printReport(invocation.output, addReports(started), about)
        throw error
      })
      .finally(clear)
    printReport(invocation.output, report, about)
    if (invocation.isJson) await invocation.output.write(`${cleanJson(report, 2)}\n`)
    return exitOfReport(report)
  },
}

async function sanitize(
  invocation: Invocation,
  context: Context,
  progress: Progress,
  { decide, signal, started }: Asking & { started: SanitizeReport[] },
): Promise<SanitizeReport> {
  const { addReports } = await import('../sanitize/print-report.ts')
  const { eachWithStore, sanitizeContextOf, sanitizersOf } = await import('../sanitize/with-decider.ts')
  const place = sanitizeContextOf(context, invocation.args[0])
  const reports = await eachWithStore(await sanitizersOf(context), ({ sanitizer }) =>
    sanitizer.run({
      ...place,
      mode: isOn(invocation, 'check') ? 'check' : 'repair',
      decide,
      salvage: isOn(invocation, 'salvage'),
      force: isOn(invocation, 'force'),
      signal,
      onBegin: report => void started.push(report),
      onProgress: (done, total, phase) => progress.update(done, total, LABELS[phase]),
    }),
  )
  return addReports(reports)
}

function hasLines(report: SanitizeReport): boolean {
  return Object.values(report).some(part => Array.isArray(part) && part.length > 0)
}
