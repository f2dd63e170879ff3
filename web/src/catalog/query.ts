// The filters and the order of the list, and the query they lead to. Pure.
import type { SessionsQuery } from '../../../src/server/protocol.ts'

export type HealthFilter = 'need-repair' | 'damaged' | 'healthy' | 'busy' | 'lost' | 'unchecked' | 'archived'
export type Arrange = 'day' | 'project' | 'agent' | 'largest' | 'longest' | 'title'

/** `until` is exclusive. */
export interface Period {
  label: string
  since: string
  until?: string
}

export interface Filters {
  text: string
  agent: string | null
  health: HealthFilter | null
  period: Period | null
  /** `pinned`, `hidden`, or `#` and a tag. */
  label: string | null
  hasSubagents: boolean
  arrange: Arrange
}

export const NO_FILTERS: Filters = {
  text: '',
  agent: null,
  health: null,
  period: null,
  label: null,
  hasSubagents: false,
  arrange: 'day',
}

export function isFiltered({ text, agent, health, period, label }: Filters): boolean {
  return text.trim() !== '' || [agent, health, period, label].some(filter => filter !== null)
}

export const HEALTH_WORDS: Record<HealthFilter, string> = {
  'need-repair': 'Needs repair',
  damaged: 'Damaged',
  healthy: 'Healthy',
  busy: 'Busy',
  lost: 'Lost or unreadable',
  unchecked: 'Not checked yet',
  archived: 'Deleted, archived',
}

/** The statuses of the server. */
const STATUSES: Record<Exclude<HealthFilter, 'archived'>, string> = {
  'need-repair': 'need-repair',
  damaged: 'corrupted',
  healthy: 'healthy,repaired',
  busy: 'busy,repairing',
  lost: 'missing,unreadable,unrecoverable',
  unchecked: 'unchecked',
}

export const ARRANGE_WORDS: Record<Arrange, string> = {
  day: 'by day',
  project: 'by project',
  agent: 'by agent',
  largest: 'largest first',
  longest: 'most messages',
  title: 'by title',
}

const ORDERS: Record<Arrange, Pick<SessionsQuery, 'group' | 'sort' | 'order'>> = {
  day: { group: 'day' },
  project: { group: 'project' },
  agent: { group: 'agent' },
  largest: { sort: 'size', order: 'down' },
  longest: { sort: 'messages', order: 'down' },
  title: { sort: 'title', order: 'up' },
}

export function toQuery({ text, agent, health, period, label, hasSubagents, arrange }: Filters): SessionsQuery {
  const words = text.trim()
  return {
    ...ORDERS[arrange],
    subagents: hasSubagents ? 'yes' : 'no',
    ...(words === '' ? {} : { text: words.slice(0, 200) }),
    ...(agent === null ? {} : { agent }),
    ...(health === null ? {} : health === 'archived' ? { archived: 'yes' } : { status: STATUSES[health] }),
    ...(period === null ? {} : { since: period.since }),
    ...labelQuery(label),
    ...(period?.until === undefined ? {} : { until: period.until }),
  }
}

function labelQuery(label: string | null): Pick<SessionsQuery, 'pinned' | 'hidden' | 'tag'> {
  if (label === 'pinned') return { pinned: 'yes' }
  if (label === 'hidden') return { hidden: 'yes' }
  return label === null ? {} : { tag: label.slice(1) }
}
