// Calls without a result, results without a call, and second results on the chain that a resume loads, each
// with its repair.
import type { Chain, LogView, ToolRepair, UnpairedTool } from '../../../repair.ts'
import { load } from '../../loader/index.ts'
import { findOdd, findUnpairedHalves } from './pairs.ts'
import { followLinks } from './path.ts'
import { repairResults } from './stray-results.ts'
import { repairCalls } from './unanswered-calls.ts'

export const tools: ToolRepair = { findUnpaired: log => findUnpaired(log, load(log).chain) }

function findUnpaired(log: LogView, chain: Chain): UnpairedTool[] {
  const leaf = chain.at(-1)
  const odd = findOdd(log.visible, chain)
  if (leaf === undefined || odd === undefined) return []
  const path = followLinks(log.visible, leaf)
  // Another damage decides which link of a circle is wrong. Until then nothing can be inserted between two
  // records.
  if (path.end === 'circle') return []
  const unpaired = findUnpairedHalves(log, chain, path, odd)
  return [...repairCalls(log, path, unpaired.calls), ...repairResults(log, path, unpaired.results)].sort(
    (a, b) => a.start - b.start,
  )
}
