// The path from the end of a conversation back to its start, as the agent's own resume follows it.
import { NONE } from '../../../repair/records/record-index.ts'
import { Bridges } from './bridges.ts'
import type { LoaderLinks } from './links.ts'

export interface Walked {
  /** From the root, or from where the walk stopped, to the end. */
  path: Int32Array
  /** The path returned to a visited record, and the agent would loop for ever. */
  isEndless: boolean
}

export function walkBack(links: LoaderLinks, end: number): Walked {
  const { parents, rules } = links
  const seen = new Uint8Array(parents.length)
  const path = new Int32Array(parents.length)
  let first = path.length
  let bridges: Bridges | undefined
  for (let at = end; at !== NONE; ) {
    path[--first] = at
    seen[at] = 1
    const parent = parents[at] ?? NONE
    if (parent === NONE) break
    if (parent >= 0 && seen[parent] === 0) {
      at = parent
      continue
    }
    if (parent >= 0 && !rules.survivesCycles) return { path: path.subarray(first), isEndless: true }
    if (!rules.bridges) break
    bridges ??= new Bridges(links, seen)
    at = bridges.nearestBefore(at)
  }
  return { path: path.subarray(first), isEndless: false }
}
