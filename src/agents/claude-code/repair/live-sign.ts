// Which processes can be working on a session. Newer versions publish every running process in
// `sessions/<pid>.json` of the config folder, with the session it works on.
import { join, relative, sep } from 'node:path'
import { parseObject } from '../../../bytes/json.ts'
import { exists, listFolder, readOptionalFile } from '../../../disk/files/read.ts'
import { isRunning } from '../../../disk/processes/process-identity.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { Environment } from '../../environment.ts'
import { joinIn } from '../../environment.ts'
import type { LiveSign } from '../../repair.ts'
import { asNumber } from '../../stores/values.ts'
import { configFolders } from '../folders.ts'

/** The folder also holds files with keys. They are not read. */
const PROCESS_FILE = /^\d+\.json$/
/** Longer names are cut and end in a hash, which is not compared here. */
const MAX_PLAIN_NAME = 200
const MAX_PROCESS_FILE_BYTES = 1024 * 1024

export function liveSign(session: SessionRef, environment: Environment): LiveSign | undefined {
  const sessionId = session.subagentOf ?? session.sessionId
  for (const config of configFolders(environment)) {
    const folder = joinIn(environment, config, 'sessions')
    for (const { name, path } of listFolder(folder)) {
      if (!PROCESS_FILE.test(name)) continue
      const pid = processOn(sessionId, readOptionalFile(path, folder, MAX_PROCESS_FILE_BYTES))
      if (pid !== undefined && isRunning(pid))
        return {
          text: `Claude Code is running on this session (process ${pid}).`,
          hint: `End it first, or see what it is: ps -p ${pid}`,
        }
    }
  }
  return undefined
}

/**
 * A process works on sessions of the folder it was started in. If that folder has its own project folder
 * beside this one, the process is not working on this session.
 */
export function canRunIn({ filePath, storeRoot }: SessionRef, folder: string): boolean {
  const [project] = relative(storeRoot, filePath).split(sep)
  const name = folder.replace(/[^a-zA-Z0-9-]/g, '-')
  return project === name || name.length > MAX_PLAIN_NAME || !exists(join(storeRoot, name))
}

function processOn(sessionId: string, file: Buffer | undefined): number | undefined {
  const entry = file === undefined ? undefined : parseObject(file)
  return entry?.['sessionId'] === sessionId ? asNumber(entry['pid']) : undefined
}
