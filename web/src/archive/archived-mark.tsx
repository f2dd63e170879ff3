// The mark of a session that its agent no longer has.
import { IconArchive } from '../common/icons.tsx'

/** Takes the place of the status. */
export function ArchivedMark({ withWord = false }: { withWord?: boolean }) {
  return (
    <span className="inline-flex shrink-0 items-center gap-1.5 text-quiet">
      <IconArchive size={16} />
      <span className={withWord ? 'font-medium' : 'sr-only'}>Archived</span>
    </span>
  )
}
