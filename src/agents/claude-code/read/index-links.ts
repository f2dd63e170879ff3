// The first pass over a file that is not plainly linear: collects the links of its records from their bytes.

import { crc32 } from 'node:zlib'
import { plainString, type Span } from '../../../bytes/json.ts'
import { type FieldNames, fieldNames, skimFields } from '../../../bytes/skim.ts'
import { Findings } from '../../../model/finding.ts'
import type { LogRecord, RecordLog } from '../../stores/json-lines.ts'
import { asText, type Json } from '../../stores/values.ts'
import { type Link, Links } from './links.ts'
import { groupOf, isTalk } from './messages.ts'

const TOOL_RESULT = Buffer.from('"tool_result"')

/** Reports no damage: the second pass, which parses the records, does. */
export function indexLinks(log: RecordLog): Links {
  const links = new Links()
  for (const record of log.records(new Findings(), skimRecord)) {
    const link = linkOf(record)
    if (link !== undefined) links.add(link)
  }
  return links
}

function linkOf({ value: record, bytes, at }: LogRecord): Link | undefined {
  const uuid = asText(record['uuid'])
  // A snapshot's `messageId` equals a record's uuid, but it is not a record of the chain.
  if (uuid === undefined) return undefined
  return {
    start: at.start,
    uuid,
    parent: asText(record['parentUuid']),
    logicalParent: asText(record['logicalParentUuid']),
    sidechain: record['isSidechain'] === true,
    group: groupOf(record),
    // In a text the quotes would be escaped, so this matches only a type.
    isResult: record['type'] === 'user' && bytes.includes(TOOL_RESULT),
    isTalk: isTalk(record),
    checksum: crc32(bytes),
  }
}

// The link fields of a record, taken from its bytes for the first pass. Only these few fields are parsed,
// because a record can be large.

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
function skimRecord(bytes: Buffer): Json | undefined {
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
