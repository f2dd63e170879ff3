// Makes a row of the list from the discovered session and its summary.
import { describeSession } from '../../../catalog/list.ts'
import type { Summary } from '../../../catalog/summaries.ts'
import type { SessionRef } from '../../../model/session.ts'
import { keyOfSession } from '../key.ts'
import type { PublishedRow } from './messages.ts'

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
    // The store reports once that its database is locked.
    ...(summary?.failure === undefined || session.isFromMemory === true ? {} : { failure: summary.failure }),
  }
}

/**
 * The parts of an old summary that are probably still right. Shown until the changed session has been read.
 */
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

/** A lock or a permission may have changed by the next scan. */
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
