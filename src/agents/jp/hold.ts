// JP's own lock for a session that is known by a receipt alone: while it is held, JP passes the conversation over.
import { dirname } from 'node:path'
import { statIfThere } from '../../disk/files/handles.ts'
import { quote } from '../../disk/files/system-errors.ts'
import { hasErrorCode, RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { HeldLock, HoldOptions } from '../agent.ts'
import type { Environment } from '../environment.ts'
import { displayId, parseDisplayId } from './ids.ts'
import { heldText, holdLock, lockPath, testLock } from './lock.ts'
import { folderNamed } from './receipt-place.ts'
import { openWorkspace, type Root, type Workspace, workspaceOfUserLocal } from './roots.ts'

type Named = Pick<SessionRef, 'sessionId' | 'filePath'>

export function hold(
  environment: Environment,
  session: Named,
  { force = false }: HoldOptions = {},
): HeldLock | undefined {
  const id = idOf(session)
  const { root } = folderNamed(session)
  // No JP is at work in a storage that is gone, and a lock would bring its folder back.
  if (id === undefined || statIfThere(root.path, 'stat')?.isDirectory() !== true) return undefined
  return take(workspaceOf(root, environment), id, force)
}

function take(workspace: Workspace, id: string, force: boolean): HeldLock | undefined {
  try {
    return holdLock(workspace, id)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    const state = testLock(workspace, id)
    if (!hasErrorCode(error, 'locked') && state.type !== 'held') {
      if (force && hasErrorCode(error, 'unsupported')) return undefined
      throw error
    }
    const pid = state.type === 'held' ? state.pid : undefined
    const see = pid === undefined ? `fuser -v ${quote(lockPath(workspace, id) ?? '')}` : `ps -fp ${pid}`
    throw new RethreadError({
      code: 'locked',
      text: `Conversation ${displayId(id)} is in use: ${heldText(state)}.`,
      hint: `Wait until it is done. See what it is: ${see}`,
      path: error.path ?? '',
      cause: error,
    })
  }
}

function idOf(session: Named): string | undefined {
  const shown = parseDisplayId(session.sessionId)
  if (shown !== undefined) return shown
  const { parsed } = folderNamed(session)
  return parsed.type === 'unparseable' ? undefined : parsed.id
}

/** All of its storages. One that is no longer known as a workspace's stands for itself. */
export function workspaceOf(root: Root, environment: Environment): Workspace {
  const found =
    root.kind === 'workspace'
      ? openWorkspace(dirname(root.path), environment)
      : workspaceOfUserLocal(root.path, environment)
  const isIts = found?.roots.some(({ path }) => path === root.path) === true
  return found !== undefined && isIts ? found : { id: undefined, folder: undefined, roots: [root] }
}
