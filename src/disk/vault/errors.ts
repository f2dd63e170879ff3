// The errors with which the vault refuses a change. Each has a command to paste.
import { RethreadError } from '../../model/errors.ts'
import { quote } from '../files/system-errors.ts'

export function planOutdated(path: string, detail: string, offset?: number): RethreadError {
  return new RethreadError({
    code: 'plan-outdated',
    text: `${path} is no longer what the repair was planned for: ${detail}.`,
    hint: 'Nothing was changed. Check it again: rethread check',
    path,
    ...(offset === undefined ? {} : { offset }),
  })
}

export function undoConflict(path: string, detail: string, backup: string): RethreadError {
  return new RethreadError({
    code: 'undo-conflict',
    text: `${path} ${detail}, so undoing the repair would lose that change. The file as it was before the repair is ${backup}.`,
    hint: `Compare the two: diff ${quote(backup)} ${quote(path)}`,
    path,
  })
}
