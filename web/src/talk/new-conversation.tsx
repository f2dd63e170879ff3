// "New conversation": chooses an agent and a folder.
import type { FormEvent } from 'react'
import { useId, useState } from 'react'
import type { TalkChoices } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanText } from '../common/clean.ts'
import { Dialog } from '../common/dialog.tsx'
import { IconWarning } from '../common/icons.tsx'
import { useShortPath } from '../common/server.ts'
import type { Failure } from '../common/states.tsx'
import { ErrorState, Hint, Skeleton } from '../common/states.tsx'
import { useNow } from '../common/use-now.ts'
import { closeOverlay } from '../frame/overlay.ts'
import { ApiFailure, talkApi } from '../state/api.ts'
import { useRequest } from '../state/use-request.ts'
import { AgentChoice } from './agent-choice.tsx'
import { FolderChoice } from './folder-choice.tsx'
import { openTalk } from './talk-actions.ts'

/** The last choice, as the default while the page is open. */
let last: { agent: string; folder: string } | undefined

export function NewConversation() {
  const request = useRequest('talk choices', signal => talkApi.choices(signal))
  const form = useId()
  const [begunAt, setBegunAt] = useState<number>()
  const isBeginning = begunAt !== undefined
  const now = useNow(isBeginning)
  const seconds = Math.max(0, Math.round((now - (begunAt ?? now)) / 1000))
  const actions = (
    <>
      <Button onClick={closeOverlay}>Cancel</Button>
      <Button type="submit" form={form} variant="primary" disabled={request.answer === undefined || isBeginning}>
        {isBeginning ? `Starting the agent… ${seconds} s` : 'Start'}
      </Button>
    </>
  )
  return (
    <Dialog title="New conversation" onClose={closeOverlay} actions={actions} width="max-w-lg">
      <div className="min-h-64">
        {request.state === 'failed' && <ErrorState failure={request.failure} again={request.again} />}
        {request.state !== 'failed' && request.answer === undefined && <Skeleton lines={6} label="Finding agents" />}
        {request.answer !== undefined && (
          <Choices
            id={form}
            choices={request.answer}
            isBeginning={isBeginning}
            onBeginning={isIt => setBegunAt(isIt ? Date.now() : undefined)}
          />
        )}
      </div>
    </Dialog>
  )
}

interface Props {
  id: string
  choices: TalkChoices
  isBeginning: boolean
  onBeginning: (isBeginning: boolean) => void
}

function Choices({ id, choices: { agents, folders }, isBeginning, onBeginning }: Props) {
  const usual = agents.find(({ name, isInstalled }) => isInstalled && name === last?.agent) ?? agents[0]
  const [agent, setAgent] = useState(usual?.name ?? '')
  const shortPath = useShortPath()
  const [folder, setFolder] = useState(last?.folder ?? shortPath(folders[0] ?? ''))
  const [failure, setFailure] = useState<Failure>()
  const begin = async (event: FormEvent) => {
    event.preventDefault()
    if (isBeginning) return
    onBeginning(true)
    setFailure(undefined)
    try {
      const begun = await talkApi.begin({ agent, folder })
      last = { agent, folder }
      closeOverlay()
      // After the dialog has returned the focus.
      setTimeout(() => openTalk(begun))
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error
      setFailure(error)
      onBeginning(false)
    }
  }
  return (
    <form id={id} onSubmit={event => void begin(event)} className="flex flex-col gap-4">
      <AgentChoice agents={agents} value={agent} onChange={setAgent} />
      <FolderChoice folders={folders} value={folder} onChange={setFolder} isWrong={failure !== undefined} />
      <div role="alert" className="empty:hidden">
        {failure !== undefined && (
          <div className="flex items-start gap-2 rounded-md bg-lost-soft px-3 py-2 text-sm">
            <IconWarning className="mt-0.5 text-lost" />
            <div className="flex min-w-0 flex-col gap-1.5 [overflow-wrap:anywhere]">
              <p className="text-strong">{cleanText(failure.message)}</p>
              <Hint text={cleanText(failure.hint)} />
            </div>
          </div>
        )}
      </div>
    </form>
  )
}
