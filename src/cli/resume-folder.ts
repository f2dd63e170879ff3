// Chooses the folder in which an agent resumes a session: the folder of the conversation, created again if it
// is gone, or another one that the user names.
import { resolve } from 'node:path'
import type { Context } from '../catalog/context.ts'
import { agentById } from '../catalog/context.ts'
import { neededFolder } from '../catalog/project-folder.ts'
import { makeProjectFolder } from '../disk/files/named-folder.ts'
import { RethreadError } from '../model/errors.ts'
import { paste } from '../model/paste.ts'
import type { SessionRef } from '../model/session.ts'
import { cleanLine } from './print/clean.ts'
import type { Output } from './print/output.ts'

export interface FolderOptions {
  /** `--in`, as typed. */
  in: string | undefined
  /** `--make-folder`. */
  isMade: boolean
}

/**
 * `folder` is the folder of the conversation. Throws `unsupported` if the agent would not find the session
 * there, `not-found` if the folder does not exist.
 */
export function chooseFolder(
  output: Output,
  context: Context,
  session: SessionRef,
  folder: string | undefined,
  wanted: FolderOptions,
): string | undefined {
  const needed = neededFolder(context, session, folder)
  if (wanted.in !== undefined) {
    const chosen = resolve(wanted.in)
    const isSameFolder = needed === undefined || needed.path === chosen
    if (!isSameFolder && !needed.isFree) throw onlyThere(context, session, needed.path)
    return chosen
  }
  if (needed === undefined || needed.state === 'there' || needed.state === 'unknown') return folder
  if (needed.state === 'gone' && wanted.isMade) {
    makeProjectFolder(needed.path)
    output.remark(`Created the folder ${cleanLine(needed.path)}.`)
    return folder
  }
  throw folderGone(session, needed)
}

function folderGone({ sessionId }: SessionRef, { path, state, isFree }: NonNullable<ReturnType<typeof neededFolder>>) {
  const make = `Create it and resume: ${paste('rethread resume --make-folder', sessionId)}`
  const inOther = `Resume in another folder: ${paste('rethread resume --in DIR', sessionId)}`
  const ways = [...(state === 'gone' ? [make] : []), ...(isFree ? [inOther] : [])]
  return new RethreadError({
    code: 'not-found',
    text: `The conversation was held in ${path}, which ${state === 'gone' ? 'no longer exists' : 'is not a folder'}.`,
    hint: ways.length === 0 ? `Put the folder back: its agent finds the session only there.` : ways.join('\n'),
    path,
  })
}

function onlyThere(context: Context, { agent, sessionId }: SessionRef, path: string): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${agentById(context, agent).title} finds this session only in the folder of the conversation, ${path}.`,
    hint: `Resume it there; this creates the folder if it is gone: ${paste('rethread resume --make-folder', sessionId)}`,
    path,
  })
}
