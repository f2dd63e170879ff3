// Tabs on a phone, which shows one pane at a time: conversation, health and terminals.
import { useStore } from '../state/store.ts'
import type { Pane } from '../state/view.ts'
import { showPane, view } from '../state/view.ts'

const TABS: readonly (readonly [Exclude<Pane, 'list'>, string])[] = [
  ['conversation', 'Conversation'],
  ['health', 'Health'],
  ['terminal', 'Terminal'],
]

export function PaneTabs() {
  const { pane } = useStore(view)
  const current = pane === 'list' ? 'conversation' : pane
  return (
    <nav aria-label="Panes" className="flex shrink-0 gap-1 border-line border-b bg-page px-2">
      {TABS.map(([name, words]) => (
        <button
          key={name}
          type="button"
          aria-current={name === current ? 'page' : undefined}
          onClick={() => showPane(name)}
          className={`-mb-px h-9 border-b-2 px-3 text-sm ${name === current ? 'border-accent font-medium text-strong' : 'border-transparent text-quiet hover:text-strong'}`}
        >
          {words}
        </button>
      ))}
    </nav>
  )
}
