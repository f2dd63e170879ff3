// The adapter for checks and repairs of session documents.
import { basename, dirname } from 'node:path'
import type { Remains } from '../../../bytes/salvage/index.ts'
import { isConversation } from '../../../model/message.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { DocumentRepair } from '../../repair.ts'
import { asObject, asText, asTime } from '../../stores/values.ts'
import { interpret, messageOf, resultIds, withoutRepeats } from '../messages.ts'
import { parseName } from '../names.ts'
import { DOCUMENT_STRUCTURE } from './read.ts'

/**
 * Without one of these fields Gemini CLI does not list the session. If its clean-up is on, it deletes the
 * file.
 */
const REQUIRED = ['sessionId', 'startTime', 'lastUpdated']
const NOWHERE = { file: '', start: 0, end: 0 }

export const repair: DocumentRepair = {
  framing: 'json-document',
  ...DOCUMENT_STRUCTURE,
  counter() {
    const results = new Set<string>()
    return element => {
      const interpreted = withoutRepeats(interpret(element), id => results.has(id))
      if (interpreted === undefined) return 0
      for (const id of resultIds(interpreted.parts)) results.add(id)
      return isConversation(messageOf(interpreted, '', undefined, NOWHERE)) ? 1 : 0
    }
  },
  refuses(fields) {
    const missing = REQUIRED.filter(name => !fields.has(name))
    return missing.length === 0 ? undefined : `it has no ${missing.join(', ')}, which Gemini CLI needs`
  },
  restoreFields(session, remains) {
    const fields = new Map<string, unknown>()
    for (const [name, value] of Object.entries(valuesFrom(session, remains)))
      if (!remains.fields.has(name) && value !== undefined) fields.set(name, value)
    return fields
  },
}

/**
 * From the remains of the head, else from the names of the file and its folder, and from the first and the
 * last message.
 */
function valuesFrom(session: SessionRef, { head, first, last }: Remains): Record<string, string | undefined> {
  const text = head.toString('latin1')
  const left = (name: string, value: string): string | undefined =>
    new RegExp(`"${name}"?\\s*:?\\s*"?(${value})`).exec(text)?.[1]
  const name = /^session-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\w{8})$/.exec(parseName(basename(session.filePath))?.base ?? '')
  const folder = basename(dirname(dirname(session.filePath)))
  const started = name === null ? undefined : `${name[1]}:${name[2]}:00.000Z`
  const startTime = left('startTime', TIME) ?? timeOf(first) ?? started
  const own = name === null ? null : new RegExp(`${name[3]}${UUID_BEHIND}`).exec(text)
  return {
    sessionId: left('sessionId', UUID) ?? own?.[0] ?? name?.[3],
    projectHash: left('projectHash', HASH) ?? new RegExp(`^${HASH}$`).exec(folder)?.[0],
    startTime,
    lastUpdated: left('lastUpdated', TIME) ?? timeOf(last) ?? startTime,
  }
}

const UUID_BEHIND = '(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const UUID = `[0-9a-f]{8}${UUID_BEHIND}`
const HASH = '[0-9a-f]{64}'
const TIME = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z'

function timeOf(message: unknown): string | undefined {
  const time = asText(asObject(message)?.['timestamp'])
  return time === undefined ? undefined : asTime(time)
}
