// A conversation goes to JP's own trash as JP would move it, with a note beside it; each copy to the trash of its own storage.
import { join } from 'node:path'
import { statIfThere } from '../../../disk/handles.ts'
import type { CopyState } from '../classify/index.ts'
import { type Conversation, type ConversationFolder, placeFolder } from '../conversations.ts'
import { MANAGED, TRASHED } from '../names.ts'
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
  for (const { folder } of copies) await setOldNoteAside(job, conversation, folder)
  const now = new Date()
  const moved = copies.map(copy => ({ copy, target: freeTarget(copy.folder) }))
  const changes = moved.flatMap(({ copy, target }) => [
    { type: 'move' as const, file: copy.folder.path, to: target, ...WHY, reason: error },
    { type: 'write' as const, file: join(target, NOTE), bytes: makeNote(error, now), ...WHY },
    { type: 'write' as const, file: join(target, SIDECAR), bytes: sidecarOf(copy, error, now), ...WHY },
  ])
  const planned = copies.flatMap(({ folder }) => plannedAt(folder.path))
  const receipt = await apply(job, conversation, { changes, planned })
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

/** Left by somebody who brought it back by hand. */
async function setOldNoteAside(job: Job, conversation: Conversation, { path }: ConversationFolder): Promise<void> {
  for (const name of [NOTE, SIDECAR]) {
    const file = join(path, name)
    if (statIfThere(file) === undefined) continue
    const to = join(path, `${name.replace(/\.\w+$/, '')}.${stampOf(new Date())}${/\.\w+$/.exec(name)?.[0] ?? ''}`)
    const changes = [{ type: 'move' as const, file, to, ...WHY, reason: 'a note of an earlier time' }]
    await apply(job, conversation, { changes, planned: plannedAt(file) })
  }
}
