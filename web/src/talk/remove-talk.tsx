// Removes a conversation of the journal from the list, after explaining what that means.
import type { SessionDetail, TalkState } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanLine } from '../common/clean.ts'
import { Dialog } from '../common/dialog.tsx'
import { useShortPath } from '../common/server.ts'
import { removeTalk } from './talk-actions.ts'

interface Props {
  sessionKey: string
  talk: TalkState
  detail: SessionDetail | undefined
  onClose: () => void
}

export function RemoveDialog({ sessionKey, talk, detail, onClose }: Props) {
  const shortPath = useShortPath()
  const remove = () => {
    onClose()
    void removeTalk(sessionKey)
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="primary" onClick={remove}>
        Remove from the list
      </Button>
    </>
  )
  return (
    <Dialog title="Remove this conversation from the list?" onClose={onClose} actions={actions}>
      <div className="flex flex-col gap-3 text-base [overflow-wrap:anywhere]">
        <p>
          It will be hidden from lists and closed to new messages.{' '}
          <strong className="font-medium text-strong">It cannot be added to the list again.</strong>
        </p>
        <p>
          Nothing is deleted: its messages stay in the journal
          {detail !== undefined && (
            <>
              {' '}
              <code className="font-mono text-sm text-strong">{shortPath(detail.filePath)}</code>
            </>
          )}
          , under the id <code className="font-mono text-sm text-strong">{cleanLine(talk.id)}</code>. Copies that were
          forked from it stay in the list, and what {cleanLine(talk.agentTitle)} itself has stored is not touched.
        </p>
      </div>
    </Dialog>
  )
}
