// The model of the agent's own resume: which records it finds, and how many messages it sends with the next prompt.
import type { RecordIndex } from '../../model/record-index.ts'
import { NONE } from '../../model/record-index.ts'
import type { Loaded, LogView } from '../mend.ts'
import { countSent } from './loader-count.ts'
import { findEnd } from './loader-end.ts'
import type { LoaderLinks } from './loader-links.ts'
import { linksFor } from './loader-links.ts'
import { rulesFor } from './loader-rules.ts'
import { findSpoken } from './loader-spoken.ts'
import { readableBy, translate } from './loader-view.ts'
import { walkBack } from './loader-walk.ts'
import { gatherSiblings } from './siblings.ts'

/** Several damages ask the same question of the same log. */
const known = new WeakMap<LogView, Loaded>()

export function load(log: LogView): Loaded {
  const loaded = known.get(log) ?? resume(log)
  known.set(log, loaded)
  return loaded
}

/** The version that will resume it: the installed one, else the one that wrote last, else the strictest. */
function resume(log: LogView): Loaded {
  const rules = rulesFor(log.installedVersion ?? log.visible.version)
  const index = readableBy(rules, log)
  const links = linksFor(index, rules)
  const end = findEnd(links, log.bytes)
  if (end === NONE) return { messages: 0, chain: [], depth: 0 }
  const { path, isEndless } = walkBack(links, end)
  if (isEndless) return { messages: 0, chain: [], depth: path.length }
  const chain = chainFrom(path, links)
  const spoken = findSpoken(chain, index, log.bytes, rules)
  const messages = countSent(spoken, chain, index, rules)
  return { messages, chain: translate(chain, index, log.visible), depth: path.length }
}

function chainFrom(path: Int32Array, links: LoaderLinks): Int32Array {
  const chain = sinceCompaction(path, links.index)
  return links.rules.gathersSiblings ? gatherSiblings(chain, links.index) : chain
}

/** What lies before the last compaction on the way is not sent any more. */
function sinceCompaction(path: Int32Array, index: RecordIndex): Int32Array {
  const boundary = path.findLastIndex(record => index.kind(record) === 'boundary')
  return boundary === -1 ? path : path.subarray(boundary)
}
