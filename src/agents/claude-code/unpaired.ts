// Calls without a result, results without a call and second results, each with what makes it whole.
import type { LogView, UnpairedTool } from '../mend.ts'
import { findLonely } from './pairs.ts'
import { followLinks } from './path.ts'
import { mendResults } from './stray-results.ts'
import { mendCalls } from './unanswered-calls.ts'

export function findUnpaired(log: LogView, chain: readonly number[]): UnpairedTool[] {
  const leaf = chain.at(-1)
  if (leaf === undefined) return []
  const path = followLinks(log.visible, leaf)
  // Which link of a circle is the wrong one is for others to say; until then nothing can be put in between two records.
  if (path.end === 'circle') return []
  const lonely = findLonely(log, chain, path)
  return [...mendCalls(log, path, lonely.calls), ...mendResults(log, path, lonely.results)].sort(
    (a, b) => a.start - b.start,
  )
}
