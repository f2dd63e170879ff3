// What is known of sessions so that they can be checked and mended.
import type { LogMend } from '../mend.ts'
import { describe } from './describe.ts'
import { findElsewhere } from './elsewhere.ts'
import { liveSign } from './live-sign.ts'
import { load } from './loader.ts'
import { content } from './poison.ts'
import { isRecord } from './read.ts'
import { checkIndex, indexFileOf } from './sessions-index.ts'
import { tools } from './tools.ts'

export const mend: LogMend = {
  framing: 'json-lines',
  isRecord,
  describe,
  load,
  links: { id: 'uuid', parent: 'parentUuid', makeProgress },
  tools,
  content,
  findElsewhere,
  checkIndex,
  companions: session => (session.subagentOf === undefined ? [indexFileOf(session)] : []),
  liveSign,
}

function makeProgress(id: string, parent: string, before: Record<string, unknown>): Record<string, unknown> {
  const { isSidechain, cwd, sessionId, version, timestamp } = before
  const data = { type: 'hook_progress', hookEvent: 'PostToolUse', hookName: 'PostToolUse:Bash', command: 'callback' }
  return { parentUuid: parent, isSidechain, cwd, sessionId, version, type: 'progress', data, uuid: id, timestamp }
}
