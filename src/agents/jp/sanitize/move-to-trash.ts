// A conversation goes to JP's own trash as JP would move it, with a note beside it; each copy to the trash of its own storage.
import { basename, extname, join } from 'node:path'
import { statIfThere } from '../../../disk/handles.ts'
import type { Move } from '../../../disk/step.ts'
import type { WriteFile } from '../../../model/plan.ts'
import type { CopyState } from '../classify/index.ts'
import { type Conversation, type ConversationFolder, placeFolder } from '../conversations.ts'
import { MANAGED, TRASHED } from '../names.ts'
import { restoreCommand } from '../receipt-place.ts'
import { apply, plannedAt } from './apply-plan.ts'
import { conditionText } from './course.ts'
import type { Job } from './job.ts'
import { stampOf } from './quarantine.ts'
import { entryFor } from './report.ts'
import { makeNote, makeSidecar, NOTE, SIDECAR } from './trash-names.ts'

const WHY = { damage: 'trashed', reason: 'moved to the trash' }

export async function moveToTrash(
  job: Job,
  conversation: Conversation,
  copies: readonly CopyState[],
  error: string,
): Promise<void> {
  const now = new Date()
  const moved = copies.map(copy => ({ copy, target: freeTarget(copy.folder) }))
  const changes = moved.flatMap(({ copy, target }) => {
    const notes = [
      noteFor(
        copy.folder,
        target,
        NOTE,
        makeNote(error, now, restoreCommand(copy.folder.root.path, basename(target))),
        now,
      ),
      noteFor(copy.folder, target, SIDECAR, sidecarOf(copy, error, now), now),
    ]
    return [
      ...notes.filter(({ type }) => type === 'move'),
      { type: 'move' as const, file: copy.folder.path, to: target, ...WHY, reason: error },
      ...notes.filter(({ type }) => type === 'write'),
    ]
  })
  const receipt = await apply(job, conversation, { changes, planned: changes.flatMap(({ file }) => plannedAt(file)) })
  for (const { copy, target } of moved) {
    const text = `${error} (see ${join(target, NOTE)})`
    job.report.trashed.push(entryFor('trashed', copy.folder, text, { target, receipt, error }))
  }
}

/** As JP numbers them. */
function freeTarget({ root, name }: ConversationFolder): string {
  const start = join(placeFolder(root, TRASHED), name)
  for (let count = 0; ; count++) {
    const target = count === 0 ? start : `${start}-${count}`
    if (statIfThere(target) === undefined) return target
  }
}

function sidecarOf({ folder, files }: CopyState, error: string, now: Date): Buffer {
  const verdicts = MANAGED.map(file => [file, conditionText(files[file])])
  return makeSidecar({
    name: folder.name,
    root: folder.root.path,
    place: folder.place,
    error,
    trashedAt: now.toISOString(),
    files: Object.fromEntries(verdicts),
  })
}

/** Written when the folder is in the trash. One that was left in it, by somebody who brought it back by hand, is set aside before. */
function noteFor(folder: ConversationFolder, target: string, name: string, bytes: Buffer, now: Date): WriteFile | Move {
  const old = join(folder.path, name)
  if (statIfThere(old) === undefined) return { type: 'write', file: join(target, name), bytes, ...WHY }
  const ending = extname(name)
  const to = join(folder.path, `${basename(name, ending)}.${stampOf(now)}${ending}`)
  return { type: 'move', file: old, to, instead: { bytes }, ...WHY }
}
