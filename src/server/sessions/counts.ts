// How many conversations there are, by agent and by status. Sub-agents are not counted: they are part of the
// conversation that started them.
import type { Counts } from '../api.ts'
import type { Entry } from './entries.ts'
import { needsRepair } from './filter.ts'
import type { NeedsDecision } from './needs-decision.ts'

export function countEntries(entries: Iterable<Entry>, needsDecision: NeedsDecision): Counts {
  const counts: Counts = {
    sessions: 0,
    needRepair: 0,
    needDecision: 0,
    archived: 0,
    byStatus: {},
    byAgent: {},
    pinned: 0,
    hidden: 0,
    byTag: {},
  }
  for (const { row, session } of entries) {
    if (row.subagentOf !== undefined) continue
    if (row.hidden === true) {
      counts.hidden++
      continue
    }
    if (row.pinned === true) counts.pinned++
    for (const tag of row.tags ?? []) counts.byTag[tag] = (counts.byTag[tag] ?? 0) + 1
    const status = row.status ?? 'unchecked'
    counts.sessions++
    if (row.archived !== undefined) counts.archived++
    if (needsRepair(row)) counts.needRepair++
    if (needsRepair(row) && needsDecision(session)) counts.needDecision++
    counts.byStatus[status] = (counts.byStatus[status] ?? 0) + 1
    counts.byAgent[row.agent] = (counts.byAgent[row.agent] ?? 0) + 1
  }
  return counts
}
