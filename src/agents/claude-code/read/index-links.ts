// The first pass over a file that is not plainly linear: the links of its records, skimmed from their bytes.
import { crc32 } from 'node:zlib'
import { Findings } from '../../../model/finding.ts'
import type { Log, LogRecord } from '../../stores/json-lines.ts'
import { asText } from '../../stores/values.ts'
import type { Link } from './links.ts'
import { Links } from './links.ts'
import { groupOf, isTalk } from './messages.ts'
import { skimRecord } from './skim.ts'

const TOOL_RESULT = Buffer.from('"tool_result"')

/** What is wrong with records is found by the second pass, which reads them. */
export function indexLinks(log: Log): Links {
  const links = new Links()
  for (const record of log.records(new Findings(), skimRecord)) {
    const link = linkOf(record)
    if (link !== undefined) links.add(link)
  }
  return links
}

function linkOf({ value: record, bytes, at }: LogRecord): Link | undefined {
  const uuid = asText(record['uuid'])
  // A snapshot's `messageId` equals a record's uuid; it is no record of the chain.
  if (uuid === undefined) return undefined
  return {
    start: at.start,
    uuid,
    parent: asText(record['parentUuid']),
    logicalParent: asText(record['logicalParentUuid']),
    sidechain: record['isSidechain'] === true,
    group: groupOf(record),
    // In a text the quotes would be escaped, so this is found only where it is a type.
    isResult: record['type'] === 'user' && bytes.includes(TOOL_RESULT),
    isTalk: isTalk(record),
    checksum: crc32(bytes),
  }
}
