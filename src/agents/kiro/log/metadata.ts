// The metadata file beside a log: the session's title and folder. The log can be read without it.
import type { DocumentEnd } from '../../../bytes/document.ts'
import { readDocument } from '../../../bytes/document.ts'
import { openFile } from '../../../disk/files/read.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import { hasErrorCode, RethreadError } from '../../../model/errors.ts'
import type { Findings } from '../../../model/finding.ts'
import type { SessionFacts } from '../../../model/reading.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asString, asText, present } from '../../stores/values.ts'
import { firstField, timeFrom } from '../blocks.ts'

/** The field names of both stores. */
const FIELDS = [
  ...['session_id', 'cwd', 'title', 'created_at', 'updated_at', 'parent_session_id', 'session_created_reason'],
  ...['id', 'sessionId', 'workspacePaths', 'modelId', 'createdAt', 'lastModifiedAt', 'parentSessionId'],
]
/** The long part. Only a reading needs the model named in it. */
const STATE = 'session_state'
/** Enough for the fields before the long part. */
const HEAD_BYTES = 16 * 1024

/** The facts for a listing, from the start of the file alone. */
export function readMetadataHead(path: string, storeRoot: string): SessionFacts {
  const file = openFile(path, storeRoot)
  try {
    return factsOf(collectFields([file.range(0, Math.min(HEAD_BYTES, file.identity.size))], FIELDS).fields)
  } finally {
    file.close()
  }
}

/** Any problem becomes a finding and does not stop the reading. */
export function readMetadata(path: string, storeRoot: string, findings: Findings): SessionFacts {
  try {
    const file = openFile(path, storeRoot)
    try {
      const { fields, end, isJunk } = collectFields(file.chunks(), [...FIELDS, STATE])
      if (!end.complete || isJunk) addMalformed(path, end.parsedUpTo, file.identity.size, findings)
      return factsOf(fields)
    } finally {
      file.close()
    }
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    findings.add({
      damage: hasErrorCode(error, 'not-found') ? 'missing-metadata' : 'unreadable-metadata',
      severity: 'survived',
      at: { file: path, start: 0, end: 0 },
      text: `${error.message} It holds the title and the folder of the session; the conversation is not in it.`,
      hint: error.hint,
    })
    return {}
  }
}

function addMalformed(path: string, start: number, end: number, findings: Findings): void {
  findings.add({
    damage: 'malformed-metadata',
    severity: 'survived',
    at: { file: path, start, end },
    text: `${path} is not valid JSON. It holds the title and the folder of the session; the conversation is not in it.`,
    hint: `See the bytes: rethread show --raw ${quote(path)}`,
  })
}

function collectFields(
  chunks: Iterable<Buffer>,
  names: readonly string[],
): { fields: Json; end: DocumentEnd; isJunk: boolean } {
  const fields: Json = {}
  const reading = readDocument(chunks, { elements: '', fields: names })
  let isJunk = false
  let step = reading.next()
  for (; !step.done; step = reading.next()) {
    if (step.value.type === 'field') fields[step.value.key] = step.value.value
    else isJunk = true
  }
  return { fields, end: step.value, isJunk }
}

function factsOf(fields: Json): SessionFacts {
  const parent = asText(firstField(fields, 'parent_session_id', 'parentSessionId'))
  const isFork = /fork/i.test(asString(fields['session_created_reason']) ?? '')
  const state = asObject(asObject(asObject(fields[STATE])?.['rts_model_state'])?.['model_info'])
  return present<SessionFacts>({
    sessionId: asText(firstField(fields, 'session_id', 'sessionId', 'id')),
    title: asText(fields['title']),
    project: asText(fields['cwd']) ?? asText(asArray(fields['workspacePaths'])?.[0]),
    startedAt: timeFrom(firstField(fields, 'created_at', 'createdAt')) ?? undefined,
    updatedAt: timeFrom(firstField(fields, 'updated_at', 'lastModifiedAt')) ?? undefined,
    model: asText(firstField(state, 'model_id', 'modelId')) ?? asText(fields['modelId']),
    subagentOf: isFork ? undefined : parent,
    forkedFrom: isFork ? parent : undefined,
  })
}
