// What one record of the log is to a resume: the few facts that an index of the whole log keeps. Messages inside a list are described in the same way.
import type { RecordFacts } from '../../model/record-index.ts'
import type { Json } from '../stores/values.ts'
import { asString, asText, asTime } from '../stores/values.ts'
import { changeOf } from './changes.ts'
import { interpret, resultIds } from './messages.ts'

export function describe(record: Json): RecordFacts {
  const change = changeOf(record)
  switch (change.type) {
    case 'rewind':
      return { kind: 'rewind', target: change.to }
    case 'message':
      return describeMessage(record)
    case 'metadata':
      // A list replaces the conversation: nothing before it counts.
      if (change.messages !== undefined) return { kind: 'boundary', meta: namesSession(change.metadata) }
      return { kind: namesSession(change.metadata) ? 'header' : 'change' }
    case 'unknown':
      return { kind: 'other' }
  }
}

/** Both are needed: without the session and the project the agent does not load the file. */
export function namesSession(metadata: Json): boolean {
  return asText(metadata['sessionId']) !== undefined && asText(metadata['projectHash']) !== undefined
}

/** A message is known by its id wherever it stands; `group` is that id for an index that keeps no ids. */
export function describeMessage(value: Json): RecordFacts {
  const id = asString(value['id'])
  const { role, parts } = interpret(value)
  const time = asTime(value['timestamp'])
  const common = { id, group: id, time: time === undefined ? undefined : Date.parse(time) }
  switch (role) {
    case 'system':
      return { kind: 'system', ...common }
    // Mostly a second copy of results that stand with their calls.
    case 'tool':
      return { kind: 'attachment', results: resultIds(parts), ...common }
    default:
      // An answer with nothing in it is not sent: seen where the record that filled it in was lost.
      if (role === 'assistant' && parts.length === 0) return { kind: 'system', ...common }
      return { kind: 'talk', role, results: resultIds(parts), ...common }
  }
}
