// Asks before a pane with a running program is closed.
import { Button } from '../common/button.tsx'
import { cleanLine } from '../common/clean.ts'
import { Dialog } from '../common/dialog.tsx'
import { useStore } from '../state/store.ts'
import { dock, terminals } from './dock.ts'
import { closing, removePane } from './pane-actions.ts'

export function CloseDialog() {
  const id = useStore(closing)
  const pane = useStore(dock).panes[id ?? '']
  const known = useStore(terminals)
  if (id === null || pane === undefined) return null
  const command = known.find(({ terminalId }) => terminalId === pane.terminalId)?.command ?? pane.title
  const close = () => closing.set(null)
  const finish = (isEnded: boolean) => {
    close()
    removePane(id, isEnded)
  }
  const actions = (
    <>
      <Button variant="quiet" onClick={close}>
        Cancel
      </Button>
      <Button onClick={() => finish(false)}>Keep running</Button>
      <Button variant="primary" onClick={() => finish(true)}>
        End process
      </Button>
    </>
  )
  return (
    <Dialog title="Close this pane?" onClose={close} actions={actions}>
      <p className="text-base [overflow-wrap:anywhere]">
        <code className="font-mono text-sm text-strong">{cleanLine(command)}</code> still runs in it. Kept running, it
        can be shown again from the line below.
      </p>
    </Dialog>
  )
}
