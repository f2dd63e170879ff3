// The facts of one record that matter to a resume. The index of a whole log holds only these. Messages inside
// a list are described in the same way.
import type { RecordFacts } from '../../../repair/records/record-index.ts'
import type { Json } from '../../stores/values.ts'
import { asString, asText, asTime } from '../../stores/values.ts'
import { interpret, resultIds } from '../messages.ts'
import { changeOf } from './changes.ts'
import { fatalField, isNotSent, isWithoutWords } from './shapes.ts'

export function describe(record: Json): RecordFacts {
  const change = changeOf(record)
  switch (change.type) {
    case 'rewind':
      return { kind: 'rewind', target: change.to }
    case 'message':
      return describeMessage(record)
    case 'metadata':
      return describeMetadata(change.metadata, change.messages, change.replaces)
    case 'unknown':
      return describeUnnamed(record)
  }
}

/** The agent ignores a message without an id. */
function describeUnnamed(record: Json): RecordFacts {
  const { role, isUnknown } = interpret(record)
  if (isUnknown || role === 'system' || !('content' in record)) return { kind: 'other' }
  return { kind: 'talk', role: role === 'tool' ? undefined : role, refused: true }
}

function describeMetadata(metadata: Json, messages: unknown[] | undefined, replaces: boolean): RecordFacts {
  const isNaming = namesSession(metadata)
  const suspect = isUnclear(metadata, isNaming)
  // A list replaces the conversation: nothing before it counts.
  if (replaces) return { kind: 'boundary', meta: isNaming, suspect }
  return { kind: isNaming ? 'header' : 'change', meta: messages !== undefined, suspect }
}

/** Whether it may withdraw what other records say about the session: an empty name, or another kind. */
function isUnclear(metadata: Json, isNaming: boolean): boolean {
  const namesAny = 'sessionId' in metadata || 'projectHash' in metadata
  return (namesAny && !isNaming) || ('kind' in metadata && metadata['kind'] !== 'main')
}

/** Both are needed: without the session and the project the agent does not load the file. */
export function namesSession(metadata: Json): boolean {
  return asText(metadata['sessionId']) !== undefined && asText(metadata['projectHash']) !== undefined
}

/** What the agent does not send again, such as an empty answer, and what it fails on. */
function heldBack(value: Json): Pick<RecordFacts, 'refused' | 'suspect'> {
  if (value['type'] === 'user') return { refused: isNotSent(value['content']) }
  return { refused: isWithoutWords(value), suspect: fatalField(value) !== undefined }
}

/** A message is identified by its id wherever it is. `group` is that id for an index without ids. */
export function describeMessage(value: Json): RecordFacts {
  const id = asString(value['id'])
  const { role, parts } = interpret(value)
  const time = asTime(value['timestamp'])
  const common = { id, group: id, time: time === undefined ? undefined : Date.parse(time) }
  switch (role) {
    case 'system':
      return { kind: 'system', ...common }
    // Mostly a second copy of results that are stored with their calls.
    case 'tool':
      return { kind: 'attachment', results: resultIds(parts), ...common }
    default:
      return { kind: 'talk', role, results: resultIds(parts), ...common, ...heldBack(value) }
  }
}
