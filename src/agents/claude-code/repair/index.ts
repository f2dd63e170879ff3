// The adapter for checks and repairs.
import type { LogRepair } from '../../repair.ts'
import { installed } from '../folders.ts'
import { load } from '../loader/index.ts'
import { startsOver } from '../loader/links.ts'
import { isRecord } from '../read/index.ts'
import { content } from './content/index.ts'
import { describe } from './describe.ts'
import { fields } from './fields.ts'
import { canRunIn, liveSign } from './live-sign.ts'
import { findInOtherSessions } from './other-sessions.ts'
import { makePlain } from './plain.ts'
import { checkIndex, indexFileOf } from './sessions-index.ts'
import { shapes } from './shapes.ts'
import { findShown } from './shown.ts'
import { times } from './times.ts'
import { tools } from './tools/index.ts'

export const repair: LogRepair = {
  framing: 'json-lines',
  isRecord,
  describe,
  fields,
  load,
  makePlain,
  findShown,
  links: { id: 'uuid', parent: 'parentUuid', startsOver, makeProgress },
  // The agent repeats lines without an id, such as titles, on purpose.
  repeats: { needsId: true, isUnique: ({ visible }, record) => visible.hasId(record) },
  tools,
  content,
  times,
  shapes,
  findInOtherSessions,
  checkIndex,
  companions(session, environment) {
    const index = session.subagentOf === undefined ? [indexFileOf(session)] : []
    const program = installed(environment)
    return program === undefined ? index : [...index, program.file]
  },
  installedVersion: environment => installed(environment)?.version,
  liveSign,
  canRunIn,
}

function makeProgress(id: string, parent: string, before: Record<string, unknown>): Record<string, unknown> {
  const { isSidechain, cwd, sessionId, version } = before
  const data = { type: 'hook_progress', hookEvent: 'PostToolUse', hookName: 'PostToolUse:Bash', command: 'callback' }
  // One millisecond earlier: with an equal time, some versions would take the report for the end of the
  // conversation.
  const time = Date.parse(String(before['timestamp'])) - 1
  const timestamp = Number.isNaN(time) ? undefined : new Date(time).toISOString()
  return { parentUuid: parent, isSidechain, cwd, sessionId, version, type: 'progress', data, uuid: id, timestamp }
}
