// The folder that a call about files is confined to.
import { statIfThere } from '../../disk/handles.ts'
import { notFound } from '../errors.ts'
import { type ApiContext, directoryOf } from './common.ts'

/** That of the session where one is named, else the one that is named, else the server's. Throws where it is not there. */
export async function folderOfCall(context: ApiContext): Promise<string> {
  const session = context.req.query('sessionID')
  const folder =
    session === undefined || session === '' ? directoryOf(context) : (await context.var.api.sessions.find(session)).cwd
  if (statIfThere(folder, 'stat')?.isDirectory() === true) return folder
  throw notFound(`${folder} is not there, or is no folder.`, 'Name another with ?directory=')
}
