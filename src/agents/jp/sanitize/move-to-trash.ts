// Moves a conversation to JP's own trash as JP does, with JP's note and one of rethread beside it.
// Each copy goes to the trash of its own storage.
import { basename, extname, join } from 'node:path'
import { z } from 'zod'
import { statIfThere } from '../../../disk/files/handles.ts'
import { assertInside, readOptionalFile } from '../../../disk/files/read.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import { planOutdated } from '../../../disk/vault/errors.ts'
import type { Move } from '../../../disk/vault/steps/step.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { WriteFile } from '../../../model/plan.ts'
import type { CopyState } from '../classify/index.ts'
import type { ConversationFolder, JpConversation } from '../conversations.ts'
import { placeFolder } from '../conversations.ts'
import { MANAGED, TRASHED } from '../names.ts'
import { trashRestoreLine } from '../receipts.ts'
import { apply, plannedAt } from './apply-files.ts'
import { formatJson } from './config-sources.ts'
import { rememberedFlags } from './decide-flags.ts'
import { conditionText } from './diagnosis.ts'
import type { SanitizeJob } from './job.ts'
import { entryFor, stampOf } from './job.ts'

const WHY = { damage: 'trashed', reason: 'moved to the trash' }

export async function moveToTrash(
  job: SanitizeJob,
  conversation: JpConversation,
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
        TRASH_NOTE,
        makeNote(error, now, trashRestoreLine(copy.folder.root.path, basename(target))),
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
    const text = `${error} (see ${join(target, TRASH_NOTE)})`
    job.report.trashed.push(entryFor('trashed', copy.folder, text, { target, receipt, error }))
  }
}

/** Another program may have repaired a file while the user decided. A changed conversation is not trashed. */
function assertUnchanged({ files }: CopyState): void {
  for (const file of MANAGED) {
    const { path, mark } = files[file]
    const stats = statIfThere(path)
    const now = stats === undefined ? '' : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}`
    const then = mark === undefined ? '' : `${mark.device}:${mark.inode}:${mark.size}:${mark.mtimeNs}`
    if (now !== then) throw planOutdated(path, 'another program has written to it in the meantime')
  }
}

/** Adds a number to a name that is used, like JP. */
function freeTarget({ root, name }: ConversationFolder): string {
  const trash = placeFolder(root, TRASHED)
  assertTrash(trash, root.within)
  const start = join(trash, name)
  for (let count = 0; ; count++) {
    const target = count === 0 ? start : `${start}-${count}`
    if (statIfThere(target) === undefined) return target
  }
}

/** Throws if the trash is a link out of the storage or not a folder. */
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

/** Written after the move. An old note in the folder, left after a restore by hand, is renamed first. */
function noteFor(folder: ConversationFolder, target: string, name: string, bytes: Buffer, now: Date): WriteFile | Move {
  const old = join(folder.path, name)
  if (statIfThere(old) === undefined) return { type: 'write', file: join(target, name), bytes, ...WHY }
  const ending = extname(name)
  const to = join(folder.path, `${basename(name, ending)}.${stampOf(now)}${ending}`)
  return { type: 'move', file: old, to, instead: { bytes }, ...WHY }
}

export const TRASH_NOTE = 'TRASHED.md'
export const SIDECAR = 'TRASHED.rethread.json'
const MAX_NOTE_BYTES = 64 * 1024

/** JP writes these headings in this order. */
function makeNote(error: string, now: Date, restore: string): Buffer {
  const date = `${now.toISOString().slice(0, 19)}Z`
  return Buffer.from(`# Trashed Conversation

This conversation was moved to the trash because JP could not have loaded it.

**Error:** ${error.replaceAll(/\s+/g, ' ')}
**Date:** ${date}

All of its files are as they were.
To repair it and bring it back: ${restore}
`)
}

interface TrashNote {
  error: string | undefined
  trashedAt: string | undefined
}

/** Reads only the two lines that start with a bold word, whether JP or rethread wrote them. */
export function readTrashNote(folder: string): TrashNote {
  const text = readSmall(join(folder, TRASH_NOTE), folder)?.toString('utf8') ?? ''
  return {
    error: /^\*\*Error:\*\*[ \t]*(.+)$/m.exec(text)?.[1]?.trim(),
    trashedAt: /^\*\*Date:\*\*[ \t]*(.+)$/m.exec(text)?.[1]?.trim(),
  }
}

const sidecarSchema = z.object({
  version: z.literal(1),
  /** The name of the folder before it got a number. */
  name: z.string(),
  root: z.string(),
  place: z.string(),
  error: z.string(),
  trashedAt: z.string(),
  files: z.record(z.string(), z.string()),
  /** The flags that the conversation was started with, as the user entered them. */
  flags: z.string().optional(),
})
type Sidecar = z.infer<typeof sidecarSchema>

function makeSidecar(sidecar: Omit<Sidecar, 'version'>): Buffer {
  return formatJson({ version: 1, ...sidecar })
}

/** Returns undefined if there is no sidecar or it is not valid. */
export function readSidecar(folder: string): Sidecar | undefined {
  const bytes = readSmall(join(folder, SIDECAR), folder)
  if (bytes === undefined) return undefined
  try {
    const sidecar = sidecarSchema.parse(JSON.parse(bytes.toString('utf8')))
    return isNameOf(sidecar.name, basename(folder)) ? sidecar : undefined
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError) return undefined
    throw error
  }
}

/**
 * In the trash a name may only get a number. The restored path is built from the stored name, and a storage
 * may come from an untrusted repository.
 */
function isNameOf(name: string, inTrash: string): boolean {
  return inTrash === name || (inTrash.startsWith(`${name}-`) && /^\d+$/.test(inTrash.slice(name.length + 1)))
}

/** The file is informational. One that cannot be read counts as missing. */
function readSmall(path: string, root: string): Buffer | undefined {
  try {
    return readOptionalFile(path, root, MAX_NOTE_BYTES)
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
}
