// A session that its agent no longer has, in words and as a mark.
import type { ApiArchived } from '../../../src/server/protocol.ts'
import { formatDate } from '../common/format.ts'
import { IconArchive } from '../common/icons.tsx'

/** "deleted by Claude Code on 12 Nov 2026; archived" */
export function archivedWords({ deletedAt, isByAgent }: ApiArchived, agentTitle: string): string {
  if (deletedAt === null) return 'missing; archived'
  return `deleted ${isByAgent ? `by ${agentTitle} ` : ''}on ${formatDate(deletedAt)}; archived`
}

/** Takes the place of the status. */
export function ArchivedMark({ withWord = false }: { withWord?: boolean }) {
  return (
    <span className="inline-flex shrink-0 items-center gap-1.5 text-quiet">
      <IconArchive size={16} />
      <span className={withWord ? 'font-medium' : 'sr-only'}>Archived</span>
    </span>
  )
}
