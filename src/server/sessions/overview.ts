// Figures about all sessions: how much was said when, what is large, and what its agent will delete soon.
import { addTo, emptyTotal } from '../../model/usage.ts'
import type { ApiReceipt, Counts, Overview } from '../api.ts'
import type { Entry } from './entries.ts'
import type { AgentFacts } from './list-thread/messages.ts'
import { dayOf } from './sort-text.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const SOON_MS = 7 * DAY_MS
const MAX_LARGEST = 10
const MAX_EXPIRING = 50
const MAX_REPAIRS = 10

export type OverviewFigures = Omit<Overview, 'expiring'> & {
  expiring: Omit<Overview['expiring'][number], 'isArchived'>[]
}

export interface OverviewParts {
  entries: readonly Entry[]
  counts: Counts
  agents: readonly AgentFacts[]
  receipts: readonly ApiReceipt[]
  now: number
}

/** Whether an expiring session is archived is not known here. */
export function makeOverview({ entries, counts, agents, receipts, now }: OverviewParts): OverviewFigures {
  // Sessions that only the archive has take no space in the
  // folder of their agent, and cannot be deleted there.
  const present = entries.filter(({ row }) => row.archived === undefined)
  const files = largestOfEachFile(present)
  const conversations = entries.filter(({ row }) => row.subagentOf === undefined)
  const expiring = findExpiring(
    present.filter(({ row }) => row.subagentOf === undefined),
    agents,
    now,
  )
  return {
    counts,
    bytes: files.reduce((sum, { row }) => sum + row.fileSize, 0),
    days: countDays(conversations),
    usage: addUsage(entries),
    largest: files
      .toSorted((a, b) => b.row.fileSize - a.row.fileSize)
      .slice(0, MAX_LARGEST)
      .map(({ row }) => row),
    expiring: expiring.slice(0, MAX_EXPIRING),
    moreExpiring: Math.max(0, expiring.length - MAX_EXPIRING),
    repairs: receipts.toSorted((a, b) => (a.time < b.time ? 1 : -1)).slice(0, MAX_REPAIRS),
  }
}

/** Sessions in one database all have its size; the newest of them stands for it. */
function largestOfEachFile(entries: readonly Entry[]): Entry[] {
  const byFile = new Map<string, Entry>()
  for (const entry of entries) {
    const before = byFile.get(entry.row.filePath)
    if (before === undefined || before.time < entry.time) byFile.set(entry.row.filePath, entry)
  }
  return [...byFile.values()]
}

function countDays(entries: readonly Entry[]): Overview['days'] {
  const days = new Map<string, Record<string, number>>()
  for (const entry of entries) {
    const day = dayOf(entry)
    const byAgent = days.get(day) ?? {}
    byAgent[entry.row.agent] = (byAgent[entry.row.agent] ?? 0) + 1
    days.set(day, byAgent)
  }
  return [...days].map(([day, byAgent]) => ({ day, byAgent })).sort((a, b) => (a.day < b.day ? -1 : 1))
}

/** Includes subagents, whose tokens count as well. */
function addUsage(entries: readonly Entry[]): Overview['usage'] {
  const sums = new Map<string, Overview['usage'][number]>()
  for (const { row, usageByMonth } of entries)
    for (const [month, usage] of Object.entries(usageByMonth ?? {})) {
      const key = `${month} ${row.agent}`
      const sum = sums.get(key) ?? { month, agent: row.agent, usage: emptyTotal() }
      addTo(sum.usage, usage)
      sums.set(key, sum)
    }
  return [...sums.values()].sort((a, b) =>
    a.month === b.month ? (a.agent < b.agent ? -1 : 1) : a.month < b.month ? 1 : -1,
  )
}

/** Includes overdue sessions: the agent deletes them at its next start. */
function findExpiring(
  entries: readonly Entry[],
  agents: readonly AgentFacts[],
  now: number,
): OverviewFigures['expiring'] {
  const rules = new Map(agents.map(agent => [agent.id, agent]))
  const expiring: { session: Entry['row']; time: number }[] = []
  for (const { session, row, time } of entries) {
    const rule = rules.get(row.agent)
    if (rule === undefined || rule.retention === null) continue
    const from = rule.deletesFrom === 'conversation' ? time : session.updatedAt
    const deletedAt = from + rule.retention.days * DAY_MS
    if (deletedAt <= now + SOON_MS) expiring.push({ session: row, time: deletedAt })
  }
  expiring.sort((a, b) => a.time - b.time)
  return expiring.map(({ session, time }) => ({ session, deletedAt: new Date(time).toISOString() }))
}
