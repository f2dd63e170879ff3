// Asks before a conversation goes to the trash.
import { Button } from '../common/button.tsx'
import { Dialog } from '../common/dialog.tsx'

export function TrashDialog({ onClose, confirm }: { onClose: () => void; confirm: () => void }) {
  const go = () => {
    onClose()
    confirm()
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="primary" onClick={go}>
        Move to the trash
      </Button>
    </>
  )
  return (
    <Dialog title="Move this conversation to the trash?" onClose={onClose} actions={actions}>
      <p className="text-base">
        The whole folder moves to the agent’s trash, with a note that says why. Nothing is deleted, and “rethread trash
        restore” brings it back.
      </p>
    </Dialog>
  )
}
