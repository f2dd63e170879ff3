// What the first pass needs of a record, taken from its bytes. A record is as large as what was said; what links it is small.
import type { Span } from '../../bytes/json.ts'
import { parseJson, plainString } from '../../bytes/json.ts'
import { fieldNames, skimFields } from '../../bytes/skim.ts'
import type { Json } from '../stores/values.ts'

/** Fields that are taken as they are; all of them short. */
const PLAIN = [
  'type',
  'uuid',
  'parentUuid',
  'logicalParentUuid',
  'sessionId',
  'timestamp',
  'cwd',
  'version',
  'slug',
  'leafUuid',
  'messageId',
]
const PARSED = ['isSidechain', 'isMeta', 'isCompactSummary', 'forkedFrom', 'summary', 'customTitle', 'aiTitle', 'title']
const NAMES = fieldNames(...PLAIN, ...PARSED, 'message', 'attachment')
const MESSAGE = PLAIN.length + PARSED.length
const ATTACHMENT = MESSAGE + 1
const MESSAGE_NAMES = fieldNames('id', 'model')
const ATTACHMENT_NAMES = fieldNames('type')

/** The record with its small fields only; undefined where the bytes are not one record, which the caller then looks at closely. */
export function skimRecord(bytes: Buffer): Json | undefined {
  const spans = skimFields(bytes, NAMES)
  if (spans === undefined) return undefined
  const record: Json = {}
  for (const [index, name] of PLAIN.entries()) {
    const span = spans[index]
    if (span !== undefined) record[name] = plainString(bytes, span) ?? null
  }
  for (const [index, name] of PARSED.entries()) {
    const span = spans[PLAIN.length + index]
    if (span !== undefined) record[name] = parseJson(bytes.subarray(span.start, span.end))
  }
  if (record['type'] === 'assistant')
    record['message'] = skimInner(bytes, spans[MESSAGE], MESSAGE_NAMES, ['id', 'model'])
  else if (spans[MESSAGE] !== undefined) parseOnDemand(record, bytes, spans[MESSAGE])
  if (spans[ATTACHMENT] !== undefined)
    record['attachment'] = skimInner(bytes, spans[ATTACHMENT], ATTACHMENT_NAMES, ['type'])
  return record
}

function skimInner(bytes: Buffer, outer: Span | undefined, names: ReturnType<typeof fieldNames>, keys: string[]): Json {
  const spans = outer === undefined ? undefined : skimFields(bytes, names, outer.start, outer.end)
  return Object.fromEntries(keys.map((key, index) => [key, plainString(bytes, spans?.[index])]))
}

/** Only the first prompt of a session is looked into, for its title. */
function parseOnDemand(record: Json, bytes: Buffer, span: Span): void {
  Object.defineProperty(record, 'message', {
    enumerable: true,
    get: () => parseJson(bytes.subarray(span.start, span.end)),
  })
}
