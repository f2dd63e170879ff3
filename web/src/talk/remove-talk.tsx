// Takes a conversation of the journal from the list, after it was said what that means.
import { useState } from 'react'
import type { SessionDetail, TalkState } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanLine } from '../common/clean.ts'
import { Dialog } from '../common/dialog.tsx'
import { IconClose } from '../common/icons.tsx'
import { useShortPath } from '../common/server.ts'
import { removeTalk } from './talk-actions.ts'

interface Props {
  sessionKey: string
  talk: TalkState
  detail: SessionDetail | undefined
}

export function RemoveTalk({ sessionKey, talk, detail }: Props) {
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <Button
        variant="quiet"
        size="sm"
        icon={<IconClose size={14} />}
        disabled={talk.status === 'busy' || talk.heldElsewhere !== null}
        title="Take this conversation from the list"
        onClick={() => setIsAsking(true)}
      >
        Remove
      </Button>
      {isAsking && <RemoveDialog {...{ sessionKey, talk, detail }} onClose={() => setIsAsking(false)} />}
    </>
  )
}

function RemoveDialog({ sessionKey, talk, detail, onClose }: Props & { onClose: () => void }) {
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
          It is not shown any more, neither here nor by “rethread list”, and nothing more can be said in it.{' '}
          <strong className="font-medium text-strong">rethread has no way to bring it back into the list.</strong>
        </p>
        <p>
          Nothing is deleted: what was said stays in the journal
          {detail !== undefined && (
            <>
              {' '}
              <code className="font-mono text-sm text-strong">{shortPath(detail.filePath)}</code>
            </>
          )}
          , under the id <code className="font-mono text-sm text-strong">{cleanLine(talk.id)}</code>. Copies that were
          forked from it stay in the list, and what {cleanLine(talk.agentTitle)} itself has kept is not touched.
        </p>
      </div>
    </Dialog>
  )
}
