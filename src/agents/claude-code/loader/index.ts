// The model of the agent's own resume: which records it finds, how many messages it loads, and how many it
// sends with the next prompt.
import type { RecordIndex } from '../../../repair/records/record-index.ts'
import { NONE } from '../../../repair/records/record-index.ts'
import type { Loaded, LogView } from '../../repair.ts'
import { countSent, countShown, findLeftOut } from './count.ts'
import { findEnd } from './end.ts'
import { linksFor, startsOver } from './links.ts'
import type { LoaderRules } from './rules.ts'
import { rulesFor } from './rules.ts'
import { findSent, hasBrokenMessage } from './sent-records.ts'
import { gatherSiblings } from './siblings.ts'
import { readableBy, translate } from './view.ts'
import { walkBack } from './walk.ts'

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
  if (rules.failsOnBrokenMessages && hasBrokenMessage(chain, index, log.bytes))
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
  const end = findEnd(links, bytes)
  if (end === NONE) return { path: nothing, chain: nothing, begins: undefined }
  const { path, isEndless } = walkBack(links, end)
  if (isEndless) return { path, chain: nothing, begins: undefined }
  const since = sinceCompaction(path, index)
  const chain = rules.gathersSiblings ? gatherSiblings(since, index) : since
  return { path, chain, begins: beginOf(since, index) }
}

/** Records before the last compaction on the path are not sent any more. */
function sinceCompaction(path: Int32Array, index: RecordIndex): Int32Array {
  const boundary = path.findLastIndex(record => index.kind(record) === 'boundary')
  return boundary === -1 ? path : path.subarray(boundary)
}

function beginOf(chain: Int32Array, index: RecordIndex): Loaded['begins'] {
  const [first] = chain
  if (first === undefined || index.namesParent(first)) return undefined
  if (index.kind(first) === 'boundary') return { record: first, reason: 'compaction' }
  return startsOver(index, first) ? { record: first, reason: 'rewind' } : undefined
}
