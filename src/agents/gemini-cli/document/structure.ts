// The structure of a session document.
import type { Structure } from '../../../bytes/salvage/index.ts'
import { asObject, asText } from '../../stores/values.ts'

const TYPES = new Set<unknown>(['user', 'gemini', 'info', 'error', 'warning'])

export const DOCUMENT_STRUCTURE: Structure = {
  lists: ['messages'],
  fields: ['sessionId', 'projectHash', 'startTime', 'lastUpdated', 'summary', 'directories'],
  isMessage(value) {
    const message = asObject(value)
    if (message === undefined || !TYPES.has(message['type'])) return false
    const isSessionNamed = asText(message['id']) !== undefined && asText(message['timestamp']) !== undefined
    return isSessionNamed && (message['content'] !== undefined || message['toolCalls'] !== undefined)
  },
  idOf: value => asText(asObject(value)?.['id']),
}
