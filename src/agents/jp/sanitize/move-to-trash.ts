// A conversation goes to JP's own trash as JP would move it, with a note beside it; each copy to the trash of its own storage.
import { basename, extname, join } from 'node:path'
import { statIfThere } from '../../../disk/files/handles.ts'
import { assertInside } from '../../../disk/files/read.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import { planOutdated } from '../../../disk/vault/refusals.ts'
import type { Move } from '../../../disk/vault/steps/step.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { WriteFile } from '../../../model/plan.ts'
import type { CopyState } from '../classify/index.ts'
import { type Conversation, type ConversationFolder, placeFolder } from '../conversations.ts'
import { MANAGED, TRASHED } from '../names.ts'
import { restoreCommand } from '../receipt-place.ts'
import { apply, plannedAt } from './apply-plan.ts'
import { rememberedFlags } from './ask-flags.ts'
import { conditionText } from './diagnosis.ts'
import type { Job } from './job.ts'
import { stampOf } from './quarantine.ts'
import { entryFor } from './report.ts'
import { makeNote, makeSidecar, NOTE, SIDECAR } from './trash-names.ts'

const WHY = { damage: 'trashed', reason: 'moved to the trash' }

export async function moveToTrash(
  job: Job,
  conversation: Conversation,
  copies: readonly CopyState[],
  errorOf: (copy: CopyState) => string,
): Promise<void> {
  const now = new Date()
  const flags = rememberedFlags(job, conversation)
  const moved = copies.map(copy => ({ copy, error: errorOf(copy), target: freeTarget(copy.folder) }))
  const changes = moved.flatMap(({ copy, error, target }) => {
    const notes = [
      noteFor(
        copy.folder,
        target,
        NOTE,
        makeNote(error, now, restoreCommand(copy.folder.root.path, basename(target))),
        now,
      ),
      noteFor(copy.folder, target, SIDECAR, sidecarOf(copy, error, now, flags), now),
    ]
    return [
      ...notes.filter(({ type }) => type === 'move'),
      { type: 'move' as const, file: copy.folder.path, to: target, ...WHY, reason: error },
      ...notes.filter(({ type }) => type === 'write'),
    ]
  })
  const planned = changes.flatMap(({ file }) => plannedAt(file))
  for (const copy of copies) assertUnchanged(copy)
  const receipt = await apply(job, conversation, { changes, planned })
  for (const { copy, error, target } of moved) {
    const text = `${error} (see ${join(target, NOTE)})`
    job.report.trashed.push(entryFor('trashed', copy.folder, text, { target, receipt, error }))
  }
}

/** Somebody may have repaired it while a person decided: what is sound now is not trashed. */
function assertUnchanged({ files }: CopyState): void {
  for (const file of MANAGED) {
    const { path, identity } = files[file]
    const stats = statIfThere(path)
    const now = stats === undefined ? '' : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}`
    const then =
      identity === undefined ? '' : `${identity.device}:${identity.inode}:${identity.size}:${identity.mtimeNs}`
    if (now !== then) throw planOutdated(path, 'another program has written to it in the meantime')
  }
}

/** As JP numbers them. */
function freeTarget({ root, name }: ConversationFolder): string {
  const trash = placeFolder(root, TRASHED)
  assertTrash(trash, root.path)
  const start = join(trash, name)
  for (let count = 0; ; count++) {
    const target = count === 0 ? start : `${start}-${count}`
    if (statIfThere(target) === undefined) return target
  }
}

/** Nothing is moved out of the storage, however its trash may be linked. */
function assertTrash(trash: string, root: string): void {
  if (statIfThere(trash) === undefined) return
  const stats = statIfThere(trash, 'stat')
  if (stats !== undefined) assertInside(trash, root)
  if (stats?.isDirectory() === true) return
  throw new RethreadError({
    code: 'not-a-regular-file',
    text: `${trash} is ${stats === undefined ? 'a link that leads nowhere' : 'not a folder'}, so nothing can be put there.`,
    hint: `See what it is, and move it away: ls -ld ${quote(trash)}`,
    path: trash,
  })
}

function sidecarOf({ folder, files }: CopyState, error: string, now: Date, flags: string | undefined): Buffer {
  const verdicts = MANAGED.map(file => [file, conditionText(files[file])])
  return makeSidecar({
    name: folder.name,
    root: folder.root.path,
    place: folder.place,
    error,
    trashedAt: now.toISOString(),
    files: Object.fromEntries(verdicts),
    ...(flags === undefined ? {} : { flags }),
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
