// Shows the suggested fix byte for byte before it is applied.
import type { EventsQuestion } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanText } from '../common/clean.ts'
import { Dialog } from '../common/dialog.tsx'
import { plural } from '../common/format.ts'
import { EditDiff } from './edit-diff.tsx'

interface Props {
  suggestion: NonNullable<EventsQuestion['suggestion']>
  onClose: () => void
  confirm: () => void
}

export function SuggestionDialog({ suggestion, onClose, confirm }: Props) {
  const { text, edits, moreEdits } = suggestion
  const go = () => {
    onClose()
    confirm()
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="primary" onClick={go}>
        Apply
      </Button>
    </>
  )
  return (
    <Dialog title="Apply this fix?" onClose={onClose} actions={actions} width="max-w-3xl">
      <div className="flex flex-col gap-3">
        {edits.length === 0 && <p className="text-base text-strong [overflow-wrap:anywhere]">{cleanText(text)}</p>}
        <p className="text-base">
          Every other byte stays as it is. The damaged file is kept, and the change can be undone.
        </p>
        {edits.map(edit => (
          <EditDiff key={`${edit.start} ${edit.end}`} edit={edit} />
        ))}
        {moreEdits > 0 && <p className="text-quiet text-sm">{plural(moreEdits, 'further edit')} not shown here.</p>}
      </div>
    </Dialog>
  )
}
