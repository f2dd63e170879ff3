// Repairs the conversations of a JP workspace and asks where a person must decide. Nothing is lost. The parts
// are loaded when they are used: mostly nothing is damaged.
import type { SanitizeOptions, SanitizeReport, Sanitizer } from '../../sanitizer.ts'
import { validateEvents } from './events-problem.ts'
import { emptyReport } from './job.ts'
import { countUnchanged } from './unchanged.ts'

export const sanitizer: Sanitizer = {
  editorVariables: ['JP_EDITOR'],
  run,
  preview: async options => (await import('./preview.ts')).preview(options),
  validate: validateEvents,
  trash: {
    list: async options => (await import('./restore-from-trash.ts')).listTrash(options),
    restore: async options => (await import('./restore-from-trash.ts')).restoreFromTrash(options),
  },
}

/** A check examines everything. */
async function run(options: SanitizeOptions): Promise<SanitizeReport> {
  const conversations = options.mode === 'repair' && options.only === undefined ? countUnchanged(options) : undefined
  if (conversations === undefined) return (await import('./run.ts')).sanitize(options)
  const report = { ...emptyReport(), conversations }
  options.onBegin?.(report)
  return report
}
