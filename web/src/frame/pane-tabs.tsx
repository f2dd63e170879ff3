// Where health or the terminal has no room beside the conversation, these lead to it.
import type { Layout } from '../common/use-layout.ts'
import { useStore } from '../state/store.ts'
import type { Pane } from '../state/view.ts'
import { showPane, view } from '../state/view.ts'

const WORDS: Record<Exclude<Pane, 'list'>, string> = {
  conversation: 'Conversation',
  health: 'Health',
  terminal: 'Terminal',
}

export function PaneTabs({ layout }: { layout: Layout }) {
  const { pane } = useStore(view)
  const shown =
    layout === 'narrow' ? (['conversation', 'health', 'terminal'] as const) : (['conversation', 'health'] as const)
  const current = shown.find(name => name === pane) ?? 'conversation'
  return (
    <nav aria-label="Panes" className="flex shrink-0 gap-1 border-line border-b bg-page px-2">
      {shown.map(name => (
        <button
          key={name}
          type="button"
          aria-current={name === current ? 'page' : undefined}
          onClick={() => showPane(name)}
          className={`-mb-px h-9 border-b-2 px-3 text-sm ${name === current ? 'border-accent font-medium text-strong' : 'border-transparent text-quiet hover:text-strong'}`}
        >
          {WORDS[name]}
        </button>
      ))}
    </nav>
  )
}
