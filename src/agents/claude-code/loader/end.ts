// The record from which a resume starts: the end of the conversation, as the agent sees it.
import { parseObject } from '../../../bytes/json.ts'
import type { RecordIndex } from '../../../repair/records/record-index.ts'
import { NONE } from '../../../repair/records/record-index.ts'
import type { Bytes } from '../../repair.ts'
import type { LoaderLinks } from './links.ts'

/** NONE if the agent would start an empty conversation. */
export function findEnd(links: LoaderLinks, bytes: Bytes): number {
  const { index, rules } = links
  if (rules.end === 'newest') return newest(links)
  const naming = rules.hasEndRecord ? lastNaming(index) : NONE
  const end = (naming === NONE ? undefined : namedEnd(links, bytes, naming)) ?? lastTip(links)
  // The agent says "No conversation found" for any other end.
  const isFound = end !== NONE && index.isSidechain(end) === links.lane && !Number.isNaN(timeOfTalk(links, end))
  return isFound ? end : NONE
}

/** By time alone. Of two records with the same time, the first in the file. */
function newest(links: LoaderLinks): number {
  const { index } = links
  let found = NONE
  let latest = Number.NEGATIVE_INFINITY
  for (let record = 0; record < index.length; record++) {
    if (!mayEndIn(links, record)) continue
    const time = index.time(record)
    // The agent sorts the records, and an invalid time makes the order depend on the algorithm. This sorts in
    // the same way.
    if (Number.isNaN(time)) return stopsOf(links).sort((a, b) => index.time(b) - index.time(a))[0] ?? NONE
    if (found !== NONE && time <= latest) continue
    found = record
    latest = time
  }
  return found
}

/** The records that can be the end of a conversation. */
export function stopsOf(links: LoaderLinks): number[] {
  const stops: number[] = []
  for (let record = 0; record < links.index.length; record++) if (mayEndIn(links, record)) stops.push(record)
  return stops
}

function mayEndIn(links: LoaderLinks, record: number): boolean {
  const { index, rules, lane, stops } = links
  return stops[record] === 1 && (rules.mayEndInSidechain || index.isSidechain(record) === lane)
}

/** The last record in the file that no other continues, and that has a message before it. */
function lastTip(links: LoaderLinks): number {
  const { index, parents, lane, stops } = links
  const isContinued = new Uint8Array(index.length)
  for (let record = 0; record < index.length; record++) {
    const parent = parents[record] ?? NONE
    if (parent < 0 || parent === record || stops[record] !== 1) continue
    // A sub-agent's record does not continue the conversation.
    if (index.isSidechain(record) !== lane) continue
    // A parent that is newer than its child does not count as continued.
    if (!(index.time(parent) > index.time(record))) isContinued[parent] = 1
  }
  const tried = new Uint8Array(index.length)
  for (let record = index.length - 1; record >= 0; record--) {
    if (isContinued[record] === 1 || index.isSidechain(record) !== lane || stops[record] !== 1) continue
    if (talkBefore(links, record, tried) !== NONE) return record
  }
  return NONE
}

/**
 * The record itself, or the nearest message before it. NONE also if the path reaches a record that was tried
 * before.
 */
function talkBefore({ index, parents }: LoaderLinks, record: number, tried: Uint8Array): number {
  for (let at = record; at >= 0 && tried[at] === 0; at = parents[at] ?? NONE) {
    if (index.kind(at) === 'talk') return at
    tried[at] = 1
  }
  return NONE
}

function timeOfTalk(links: LoaderLinks, record: number): number {
  const talk = talkBefore(links, record, new Uint8Array(links.index.length))
  return talk === NONE ? Number.NaN : links.index.time(talk)
}

function lastNaming(index: RecordIndex): number {
  for (let record = index.length - 1; record >= 0; record--)
    if (index.kind(record) === 'other' && index.target(record) !== undefined) return record
  return NONE
}

/**
 * The end that the agent recorded, unless the file continues after it. Undefined if there is no usable
 * record.
 */
function namedEnd(links: LoaderLinks, bytes: Bytes, naming: number): number | undefined {
  const { index } = links
  const target = index.target(naming) ?? ''
  if (target === '') return NONE
  const end = index.find(target)
  if (end === NONE || links.stops[end] !== 1 || isCompactedAway(index, naming)) return undefined
  const isPinned = parseObject(bytes.range(index.start(naming), index.end(naming)))?.['explicit'] === true
  const last = lastInFile(links)
  return !isPinned && isAncestor(links, end, last) ? last : end
}

function lastInFile(links: LoaderLinks): number {
  for (let record = links.index.length - 1; record >= 0; record--)
    if (links.index.isSidechain(record) === links.lane && links.stops[record] === 1) return record
  return NONE
}

/** Whether a later compaction started the conversation again. */
function isCompactedAway(index: RecordIndex, naming: number): boolean {
  for (let record = naming + 1; record < index.length; record++)
    if (index.kind(record) === 'boundary' && !index.isSidechain(record)) return true
  return false
}

/** Follows the links as stored. Gaps are not bridged here. */
function isAncestor({ parents }: LoaderLinks, ancestor: number, record: number): boolean {
  const seen = new Uint8Array(parents.length)
  for (let at = record; at >= 0 && seen[at] === 0; at = parents[at] ?? NONE) {
    if (at === ancestor) return true
    seen[at] = 1
  }
  return false
}
