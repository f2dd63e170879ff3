// The head of a pane: its program, how it ended, and the actions on the pane.
import type { TerminalInfo } from '../../../src/server/protocol.ts'
import { AgentMark } from '../common/agent-mark.tsx'
import { cleanLine } from '../common/clean.ts'
import { IconButton } from '../common/icon-button.tsx'
import { IconClose, IconExpand, IconPlus, IconSearch, IconShrink, IconSplit, IconTerminal } from '../common/icons.tsx'
import { useAgentTitle, useShortPath } from '../common/server.ts'
import type { Layout } from '../common/use-layout.ts'
import { openTerminal } from '../state/actions.ts'
import { useStore } from '../state/store.ts'
import { openSession } from '../state/view.ts'
import type { Pane } from './dock.ts'
import { dock, toggleMaximised } from './dock.ts'
import { closePane, splitHere } from './pane-actions.ts'
import { searching } from './pane-keys.ts'

interface Props {
  pane: Pane
  terminal: TerminalInfo | undefined
  layout: Layout
}

export function PaneHead({ pane, terminal, layout }: Props) {
  const { isMaximised, tabs } = useStore(dock)
  const isNarrow = layout === 'narrow'
  return (
    <div
      data-pane-head={pane.id}
      className="flex h-9 shrink-0 items-center gap-0.5 border-line border-b bg-page pr-1 pl-3"
    >
      <Name pane={pane} terminal={terminal} />
      {pane.phase.type === 'open' && (
        <IconButton size="sm" label="Search in the terminal" onClick={() => searching.set(pane.id)}>
          <IconSearch size={14} />
        </IconButton>
      )}
      {!isNarrow && (
        <>
          {tabs.length === 1 && tabs[0]?.type === 'pane' && (
            <IconButton size="sm" label="New terminal in a tab" onClick={() => openTerminal()}>
              <IconPlus size={14} />
            </IconButton>
          )}
          <IconButton size="sm" label="Split to the right" onClick={() => splitHere(pane.id, 'right')}>
            <IconSplit size={14} />
          </IconButton>
          <IconButton size="sm" label="Split below" onClick={() => splitHere(pane.id, 'down')}>
            <IconSplit size={14} className="rotate-90" />
          </IconButton>
          <IconButton size="sm" label={isMaximised ? 'Restore size' : 'Maximise'} onClick={toggleMaximised}>
            {isMaximised ? <IconShrink size={14} /> : <IconExpand size={14} />}
          </IconButton>
        </>
      )}
      <IconButton size="sm" label="Close the pane" onClick={() => closePane(pane.id)}>
        <IconClose size={14} />
      </IconButton>
    </div>
  )
}

function Name({ pane, terminal }: Pick<Props, 'pane' | 'terminal'>) {
  const agent = terminal?.agent ?? pane.wanted.agent
  const agentTitle = useAgentTitle(agent ?? '')
  const short = useShortPath()
  const title = cleanLine(terminal?.title ?? pane.title)
  const session = terminal?.sessionKey ?? pane.wanted.session
  return (
    <div className="flex min-w-0 flex-1 items-center gap-2 text-sm">
      {agent === undefined ? <IconTerminal size={16} className="text-quiet" /> : <AgentMark agent={agent} size={16} />}
      {agent !== undefined && <span className="sr-only">{agentTitle}</span>}
      {session === undefined ? (
        <span className="max-w-[70%] shrink-0 truncate font-medium text-strong">{title}</span>
      ) : (
        <button
          type="button"
          title={`Show the conversation: ${title}`}
          onClick={() => openSession(session)}
          className="min-w-0 max-w-[70%] shrink-0 truncate rounded font-medium text-strong hover:underline max-sm:max-w-full max-sm:shrink"
        >
          {title}
        </button>
      )}
      {terminal !== undefined && (
        <span
          title={`${cleanLine(terminal.command)} in ${cleanLine(terminal.folder)}`}
          className="min-w-0 truncate font-mono text-quiet text-xs max-sm:hidden"
        >
          {cleanLine(terminal.command)} · {short(terminal.folder)}
        </span>
      )}
    </div>
  )
}
