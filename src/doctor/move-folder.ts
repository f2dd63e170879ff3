// Moves a project folder itself, with a receipt, so that an undo moves it back.
import { createHash } from 'node:crypto'
import { type FolderMove, UNLISTED } from '../agents/listing.ts'
import { statIfThere } from '../disk/files/handles.ts'
import { identityOf, statPath } from '../disk/files/read.ts'
import { applyChanges } from '../disk/vault/apply.ts'
import type { Receipt } from '../disk/vault/receipt.ts'
import { RethreadError } from '../model/errors.ts'

/** Before anything is changed: throws `usage` where the folder cannot get its new name. */
export function assertMovable({ from, to }: FolderMove): void {
  const isThere = statIfThere(from)?.isDirectory() === true
  if (isThere && statIfThere(to) === undefined) return
  throw new RethreadError({
    code: 'usage',
    text: isThere ? `${to} exists already.` : `${from} is not a folder.`,
    hint: 'If the folder was moved already, leave out --also-move.',
    path: isThere ? to : from,
  })
}

export async function moveFolder(state: string, { from, to }: FolderMove): Promise<Receipt> {
  const name = createHash('sha256').update(`${from}\n${to}`).digest('hex').slice(0, 12)
  return await applyChanges({
    state,
    agent: 'folder',
    sessionId: `move-${name}`,
    filePath: from,
    changes: [{ type: 'move', file: from, to, damage: UNLISTED, reason: `Rename the folder to ${to}` }],
    planned: [{ file: from, identity: identityOf(statPath(from)) }],
  })
}
