// rethread move

import type { FolderMove } from '../../agents/listing.ts'
import { RethreadError } from '../../model/errors.ts'
import { quote } from '../../model/paste.ts'
import { applyAndPrint, confirmFixes, FIX_OPTIONS, settleInterrupted } from '../apply-fixes.ts'
import type { CommandDefinition } from '../command.ts'
import { isOn } from '../command.ts'
import { exitOfFixes } from '../exit-status.ts'

export const moveCommand: CommandDefinition = {
  name: 'move',
  arguments: '<old> <new>',
  summary: 'Make all agents list the conversations of a folder at its new path',
  options: [...FIX_OPTIONS, { flags: '--also-move', description: 'Move the folder itself too, last' }],
  help: `For a project folder, or for a folder with many of them. It may have been moved already. The plan is
printed first; in a terminal rethread asks. Every agent gets a receipt of its own, and "rethread
undo" undoes it.

Examples:
  rethread move ~/code/shop ~/code/store --dry-run
  rethread move ~/code ~/src
  rethread move ~/code/shop ~/code/store --also-move`,
  async run(invocation) {
    const { inspectAll } = await import('../../doctor/inspect.ts')
    const { planMoves } = await import('../../doctor/fix.ts')
    const { assertMovable, moveFolder } = await import('../../doctor/move-folder.ts')
    const { dirname, resolve } = await import('node:path')
    const [from = '', to = ''] = invocation.args.map(path => resolve(path))
    const move = { from, to }
    const isAlsoMoved = isOn(invocation, 'alsoMove')
    const { movedPath } = await import('../../agents/listing.ts')
    const isRoot = [from, to].some(path => dirname(path) === path)
    if (isRoot || movedPath(to, move) !== undefined) throw notApart(move)
    if (isAlsoMoved) assertMovable(move)
    const context = await invocation.context()
    await settleInterrupted(invocation, context)
    const { output, isJson } = invocation
    const fixes = await planMoves(await inspectAll(context), move)
    if (fixes.length === 0 && !isJson) await output.write(`No agent has conversations in ${quote(from)}.\n`)
    if (isAlsoMoved && !isJson) await output.write(`Then rename ${quote(from)} to ${quote(to)}.\n`)
    const isApplied = (fixes.length > 0 || isAlsoMoved) && (await confirmFixes(invocation, context, fixes))
    const results = isApplied ? await applyAndPrint(invocation, context, fixes) : []
    const isStopped = results.some(({ error }) => error !== undefined)
    const folder = isApplied && isAlsoMoved && !isStopped ? await moveFolder(context.state, move) : undefined
    if (isJson) {
      const { cleanJson } = await import('../print/clean.ts')
      const { fixJson } = await import('../print/doctor.ts')
      await output.write(`${cleanJson({ plan: fixes.map(fixJson), results, folder: folder?.id ?? null }, 2)}\n`)
    } else if (folder !== undefined)
      await output.write(`Renamed ${quote(from)} to ${quote(to)}. Undo it: rethread undo ${quote(folder.id)}\n`)
    else if (isStopped && isAlsoMoved) await output.write(`${quote(from)} was not renamed.\n`)
    return exitOfFixes(results)
  },
}

function notApart({ from, to }: FolderMove): RethreadError {
  return new RethreadError({
    code: 'usage',
    text: `${from} cannot become ${to}.`,
    hint: 'Specify the old folder, then the new one: rethread move OLD NEW',
  })
}
