// The empty list: nothing matches the filter, nothing is found yet, or there are no conversations.
import { Button } from '../common/button.tsx'
import { plural } from '../common/format.ts'
import { EmptyState } from '../common/states.tsx'
import { useLayout } from '../common/use-layout.ts'
import { useStore } from '../state/store.ts'
import { showPane } from '../state/view.ts'
import { counts, progress } from './figures.ts'
import { changeFilters, filters } from './filters.ts'
import { isFiltered, NO_FILTERS } from './query.ts'

export function NoConversations() {
  const known = useStore(counts)?.sessions ?? 0
  const now = useStore(filters)
  const isFinding = useStore(progress)?.phase === 'finding'
  if (isFiltered(now))
    return (
      <EmptyState title="No conversations match the filter">
        <p>{known === 0 ? 'No conversations yet.' : `None of ${plural(known, 'conversation')}.`}</p>
        <Button size="sm" onClick={() => filters.set({ ...NO_FILTERS, arrange: now.arrange })}>
          Clear the filter
        </Button>
      </EmptyState>
    )
  if (isFinding) return <EmptyState title="Finding conversations">They appear here as they are found.</EmptyState>
  if (known > 0)
    return (
      <EmptyState title="Only subagents here">
        <p>{plural(known, 'conversation')} of subagents are not shown.</p>
        <Button size="sm" onClick={() => changeFilters({ hasSubagents: true })}>
          Show them
        </Button>
      </EmptyState>
    )
  return <NothingHere />
}

function NothingHere() {
  const isNarrow = useLayout() === 'narrow'
  return (
    <EmptyState title="No conversations on this machine">
      {isNarrow && (
        <Button size="sm" onClick={() => showPane('conversation')}>
          Where rethread searched
        </Button>
      )}
    </EmptyState>
  )
}
