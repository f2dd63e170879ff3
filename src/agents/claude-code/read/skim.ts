// The link fields of a record, taken from its bytes for the first pass. Only these few fields are parsed,
// because a record can be large.
import type { Span } from '../../../bytes/json.ts'
import { plainString } from '../../../bytes/json.ts'
import type { FieldNames } from '../../../bytes/skim.ts'
import { fieldNames, skimFields } from '../../../bytes/skim.ts'
import type { Json } from '../../stores/values.ts'

const STRINGS = ['type', 'uuid', 'parentUuid', 'logicalParentUuid']
const NAMES = fieldNames(...STRINGS, 'isSidechain', 'message', 'attachment')
const SIDECHAIN = STRINGS.length
const MESSAGE = SIDECHAIN + 1
const ATTACHMENT = MESSAGE + 1
const ID = fieldNames('id')
const TYPE = fieldNames('type')
const LOWER_T = 0x74

/**
 * The record with only its link fields. Undefined if the bytes are not one record; the caller then parses
 * them fully.
 */
export function skimRecord(bytes: Buffer): Json | undefined {
  const spans = skimFields(bytes, NAMES)
  if (spans === undefined) return undefined
  const record: Json = {}
  for (const [index, name] of STRINGS.entries()) record[name] = plainString(bytes, spans[index])
  record['isSidechain'] = bytes[spans[SIDECHAIN]?.start ?? -1] === LOWER_T
  if (record['type'] === 'assistant') record['message'] = { id: innerString(bytes, spans[MESSAGE], ID) }
  if (record['type'] === 'attachment') record['attachment'] = { type: innerString(bytes, spans[ATTACHMENT], TYPE) }
  return record
}

function innerString(bytes: Buffer, outer: Span | undefined, name: FieldNames): string | undefined {
  const spans = outer === undefined ? undefined : skimFields(bytes, name, outer.start, outer.end)
  return plainString(bytes, spans?.[0])
}
