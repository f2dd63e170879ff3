// The first pass over a file that is not plainly linear: collects the links of its records from their bytes.
import { crc32 } from 'node:zlib'
import { Findings } from '../../../model/finding.ts'
import type { LogRecord, RecordLog } from '../../stores/json-lines.ts'
import { asText } from '../../stores/values.ts'
import type { Link } from './links.ts'
import { Links } from './links.ts'
import { groupOf, isTalk } from './messages.ts'
import { skimRecord } from './skim.ts'

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
