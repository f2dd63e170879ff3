// The folder that a call about files is confined to.
import { requireFolder } from '../../disk/files/named-folder.ts'
import { type ApiContext, directoryOf, requireAllowed } from './common.ts'

/** That of the session where one is named, else the one that is named, else the server's. Throws where it is not allowed or not there. */
export async function folderOfCall(context: ApiContext): Promise<string> {
  const { api } = context.var
  const session = context.req.query('sessionID')
  const folder = session === undefined || session === '' ? directoryOf(context) : (await api.sessions.find(session)).cwd
  await requireAllowed(api, folder)
  requireFolder(folder)
  return folder
}
