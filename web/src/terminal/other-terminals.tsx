// Terminals of the server that have no pane in this page: left running, or opened in another window.
import { Button } from '../common/button.tsx'
import { cleanLine } from '../common/clean.ts'
import { plural } from '../common/format.ts'
import { IconTerminal } from '../common/icons.tsx'
import { useStore } from '../state/store.ts'
import { dock, terminals } from './dock.ts'
import { showTerminal } from './pane-actions.ts'

export function useOtherTerminals() {
  const { panes } = useStore(dock)
  const shown = new Set(Object.values(panes).map(({ terminalId }) => terminalId))
  return useStore(terminals).filter(({ terminalId, exit }) => exit === null && !shown.has(terminalId))
}

export function OtherTerminals() {
  const others = useOtherTerminals()
  if (others.length === 0) return null
  return (
    <div className="flex shrink-0 items-center gap-x-2 overflow-x-auto border-line border-t bg-page px-3 py-1 text-quiet text-sm">
      <IconTerminal size={14} />
      <span className="shrink-0">{plural(others.length, 'terminal')} running:</span>
      {others.map(({ terminalId, title }) => (
        <Button key={terminalId} size="sm" variant="quiet" onClick={() => showTerminal(terminalId)}>
          <span className="max-w-48 truncate">{cleanLine(title)}</span>
        </Button>
      ))}
    </div>
  )
}
