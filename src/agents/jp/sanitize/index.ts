// Repairs the conversations of a JP workspace and asks where a person must decide. Nothing is lost.
import type { Sanitizer } from '../../sanitizer.ts'
import { validateEvents } from './events-problem.ts'
import { preview } from './preview.ts'
import { listTrash, restore } from './restore.ts'
import { sanitize } from './run.ts'

export const sanitizer: Sanitizer = {
  editorVariables: ['JP_EDITOR'],
  run: sanitize,
  preview,
  validate: validateEvents,
  trash: { list: listTrash, restore },
}
