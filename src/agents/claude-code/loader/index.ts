// The model of the agent's own resume: which records it finds, how many messages it loads, and how many it
// sends with the next prompt.
import { isBlank, startsWithByteOrderMark } from '../../../bytes/text.ts'
import { KIND, kindFlag, NONE, type RecordIndex } from '../../../repair/records/record-index.ts'
import type { Loaded, LogView } from '../../repair.ts'
import { countSent, countShown, findLeftOut } from './count.ts'
import { linksFor, startsOver } from './links.ts'
import { type LoaderRules, rulesFor } from './rules.ts'
import { findSent, hasBrokenMessage } from './sent-records.ts'
import { gatherSiblings } from './siblings.ts'
import { walkFromEnd } from './walk.ts'

/** Cached for each log: several damages ask for the same result. */
const known = new WeakMap<LogView, Loaded>()

export function load(log: LogView): Loaded {
  const loaded = known.get(log) ?? resume(log)
  known.set(log, loaded)
  return loaded
}

/** The version that will resume it: the installed one, else the last writer, else the strictest. */
function resume(log: LogView): Loaded {
  const rules = rulesFor(log.installedVersion ?? log.visible.version)
  const index = readableBy(rules, log)
  const { path, chain, begins } = walk(log, index, rules)
  if (chain.length === 0) return { messages: 0, sent: 0, chain: [], depth: path.length }
  if (rules.failsOnBrokenMessages && hasBrokenMessage(chain, index, log.bytes, rules))
    return { messages: 0, sent: 0, chain: [], depth: path.length }
  const sent = findSent(chain, index, log.bytes, rules)
  const inVisible = (records: Int32Array): Int32Array => translate(records, index, log.visible)
  const [begin] = begins === undefined ? [] : inVisible(Int32Array.of(begins.record))
  const leftOut = inVisible(findLeftOut(chain, sent.records, index))
  return {
    messages: countShown(sent.records, index),
    sent: countSent(sent, chain, index, rules),
    chain: inVisible(chain),
    depth: path.length,
    ...(leftOut.length === 0 ? {} : { leftOut }),
    ...(begins === undefined || begin === undefined ? {} : { begins: { ...begins, record: begin } }),
  }
}

/** All records that a resume would pass once every line is readable, even if it would fail on one of them. */
export function findReached({ index, bytes, installedVersion }: LogView): Int32Array {
  return walk({ bytes }, index, rulesFor(installedVersion ?? index.version)).chain
}

interface Walk {
  path: Int32Array
  /** Empty if the agent would start an empty conversation, or never finish. */
  chain: Int32Array
  begins: Loaded['begins']
}

function walk({ bytes }: Pick<LogView, 'bytes'>, index: RecordIndex, rules: LoaderRules): Walk {
  const nothing = new Int32Array(0)
  const links = linksFor(index, rules)
  const { path, isEndless } = walkFromEnd(links, bytes)
  if (path.length === 0 || isEndless) return { path, chain: nothing, begins: undefined }
  const since = sinceCompaction(path, index)
  const chain = rules.gathersSiblings ? gatherSiblings(since, index) : since
  return { path, chain, begins: beginOf(since, index) }
}

const BOUNDARY = kindFlag('boundary')

/** Records before the last compaction on the path are not sent any more. */
function sinceCompaction(path: Int32Array, index: RecordIndex): Int32Array {
  const { flags } = index
  const boundary = path.findLastIndex(record => ((flags[record] ?? 0) & KIND) === BOUNDARY)
  return boundary === -1 ? path : path.subarray(boundary)
}

function beginOf(chain: Int32Array, index: RecordIndex): Loaded['begins'] {
  const [first] = chain
  if (first === undefined || index.namesParent(first)) return undefined
  if (index.kind(first) === 'boundary') return { record: first, reason: 'compaction' }
  return startsOver(index, first) ? { record: first, reason: 'rewind' } : undefined
}

// The records that this version of the agent can read. Older versions skip a line that holds more than one
// record. Newer ones read the first record on it.

const NEWLINE = 0x0a
/**
 * How far before a record the start of its line is searched. If more bytes are blank, the record counts as
 * whole.
 */
const MAX_BLANK_BYTES = 4096
const BYTE_ORDER_MARK_BYTES = 3

export function readableBy(rules: LoaderRules, log: LogView): RecordIndex {
  const { index, visible, bytes } = log
  if (index === visible || !(rules.readsFirstOnLine || rules.skipsByteOrderMark)) return visible
  return index.onlyWhole(record => {
    const start = index.start(record)
    if (start === BYTE_ORDER_MARK_BYTES && startsWithByteOrderMark(bytes.range(0, start))) return true
    return rules.readsFirstOnLine && isFirstOnLine(bytes, start) && isOnOneLine(bytes, start, index.end(record))
  })
}

function isFirstOnLine(bytes: LogView['bytes'], start: number): boolean {
  const before = bytes.range(Math.max(0, start - MAX_BLANK_BYTES), start)
  const line = before.subarray(before.lastIndexOf(NEWLINE) + 1)
  return isBlank(line) && (line.length < before.length || start <= MAX_BLANK_BYTES)
}

/** A raw newline in a text splits the record into two unreadable lines. */
function isOnOneLine(bytes: LogView['bytes'], start: number, end: number): boolean {
  return !bytes.range(start, end).includes(NEWLINE)
}

/** Translates record numbers of one index to those of another that lacks some of the records. */
export function translate(records: Int32Array, from: RecordIndex, to: RecordIndex): Int32Array {
  if (from === to) return records
  const numbers = new Int32Array(from.length).fill(NONE)
  for (let own = 0, other = 0; own < from.length && other < to.length; own++)
    if (from.start(own) === to.start(other)) numbers[own] = other++
  return records.map(record => numbers[record] ?? NONE).filter(record => record !== NONE)
}
