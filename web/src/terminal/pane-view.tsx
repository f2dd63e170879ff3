// One pane: its head, a notice, the terminal, and how it ended.
import { cleanLine } from '../common/clean.ts'
import type { Layout } from '../common/use-layout.ts'
import { useStore } from '../state/store.ts'
import { dock, terminals } from './dock.ts'
import { KeyRow } from './key-row.tsx'
import { PaneHead } from './pane-head.tsx'
import { searching } from './pane-keys.ts'
import { PaneRoom } from './pane-room.tsx'
import { PaneEnd, PaneNotice, PaneOverlay } from './pane-states.tsx'
import { SearchBox } from './search-box.tsx'

export function PaneView({ id, layout }: { id: string; layout: Layout }) {
  const { panes } = useStore(dock)
  const pane = panes[id]
  const known = useStore(terminals)
  const isSearching = useStore(searching) === id
  if (pane === undefined) return null
  const terminal = known.find(({ terminalId }) => terminalId === pane.terminalId)
  const title = cleanLine(terminal?.title ?? pane.title)
  return (
    <section
      aria-label={`Terminal ${Object.keys(panes).indexOf(id) + 1}: ${title}`}
      className="flex h-full min-h-0 min-w-0 flex-1 flex-col"
    >
      <PaneHead {...{ pane, terminal, layout }} />
      <PaneNotice pane={pane} />
      <div className="relative flex min-h-0 flex-1">
        <PaneRoom pane={id} label={`Terminal input: ${title}. F6 leaves it.`} />
        {isSearching && <SearchBox pane={id} />}
        <PaneOverlay pane={pane} />
      </div>
      {pane.phase.type === 'open' && terminal?.exit == null && <KeyRow pane={id} />}
      <PaneEnd {...{ pane, terminal }} />
    </section>
  )
}
