// Newer versions publish every running process in `sessions/<pid>.json` of the config folder, with the session it is on.
import { parseObject } from '../../bytes/json.ts'
import { isRunning } from '../../disk/processes.ts'
import { listFolder, readOptionalFile } from '../../disk/read.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Environment } from '../environment.ts'
import { joinIn } from '../environment.ts'
import type { LiveSign } from '../mend.ts'
import { asNumber } from '../stores/values.ts'
import { configFolders } from './folders.ts'

/** Beside these lie files with keys, which are none of our business. */
const PROCESS_FILE = /^\d+\.json$/
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
          hint: `End it first, or look at what it is: ps -p ${pid}`,
        }
    }
  }
  return undefined
}

function processOn(sessionId: string, file: Buffer | undefined): number | undefined {
  const entry = file === undefined ? undefined : parseObject(file)
  return entry?.['sessionId'] === sessionId ? asNumber(entry['pid']) : undefined
}
