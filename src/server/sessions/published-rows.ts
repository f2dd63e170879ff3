// A row of the list, from what discovery and the summary say.
import { describeSession } from '../../catalog/list.ts'
import type { Summary } from '../../catalog/summaries.ts'
import type { SessionRef } from '../../model/session.ts'
import { keyOfSession } from './key.ts'
import type { PublishedRow } from './thread-messages.ts'

export function publishedRow(session: SessionRef, summary: Summary | undefined): PublishedRow {
  const nothing: Summary = { messageCount: 0, skipped: 0, isWithoutConversation: false }
  const { status, ...listed } = describeSession(session, summary ?? nothing, undefined)
  const isCounted = summary !== undefined && summary.failure === undefined
  const messageCount = isCounted ? listed.messageCount : (session.messageCount ?? null)
  const row = { key: keyOfSession(session), ...listed, messageCount }
  return {
    session,
    row,
    ...(status === 'busy' || status === 'unreadable' ? { trouble: status } : {}),
    ...(summary?.usage === undefined ? {} : { usageByMonth: summary.usage.months }),
    // That its database is locked is told once, for the store.
    ...(summary?.failure === undefined || session.isFromMemory === true ? {} : { failure: summary.failure }),
  }
}

/** What is likely still so of a session that has changed since: shown until it was read again. */
export function outdated(summary: Summary): Summary {
  const { title, project, subagentOf, forkedFrom, messageCount, isWithoutConversation, usage } = summary
  return {
    ...(title === undefined ? {} : { title }),
    ...(project === undefined ? {} : { project }),
    ...(subagentOf === undefined ? {} : { subagentOf }),
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
    ...(usage === undefined ? {} : { usage }),
    messageCount,
    skipped: 0,
    isWithoutConversation,
  }
}

/** A lock or a permission can be another at the next look. */
export function mayPass(summary: Summary): boolean {
  return summary.failure !== undefined || summary.partial === 'database-busy'
}

export function isSameSession(one: SessionRef, other: SessionRef): boolean {
  return (
    one.identity === other.identity &&
    one.title === other.title &&
    one.project === other.project &&
    one.messageCount === other.messageCount &&
    one.subagentOf === other.subagentOf &&
    one.updatedAt === other.updatedAt &&
    one.fileSize === other.fileSize &&
    one.isFromMemory === other.isFromMemory
  )
}
