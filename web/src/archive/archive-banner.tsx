// Above the messages and in the health pane: the session is deleted, or an earlier state of it is shown.
import { useEffect } from 'react'
import type { ApiArchived, SessionDetail } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { formatMoment, plural } from '../common/format.ts'
import { IconArchive } from '../common/icons.tsx'
import { Banner } from '../conversation/banners.tsx'
import type { Work } from '../health/work.ts'
import { archiveApi } from '../state/api.ts'
import { listen } from '../state/socket.ts'
import { useRequest } from '../state/use-request.ts'
import { enterSession } from '../state/view.ts'
import { differenceAsked, restoreAsked } from './archive-state.ts'
import { archivedWords } from './archived-mark.tsx'

interface Props {
  sessionKey: string
  version: number | undefined
  detail: SessionDetail | undefined
  messages: number | undefined
}

export function ArchiveBanner({ sessionKey, version, detail, messages }: Props) {
  if (version !== undefined) return <VersionBanner {...{ sessionKey, version, messages }} />
  if (detail?.archived === undefined) return null
  return (
    <Banner tone="archive" role="status">
      <span className="min-w-0">{firstUpper(archivedWords(detail.archived, detail.agentTitle))}.</span>
      <Button size="sm" onClick={() => restoreAsked.set({ key: sessionKey, version: undefined })}>
        Restore
      </Button>
    </Banner>
  )
}

/** The list of restore points may not be on the screen, so the time comes from a request of its own. */
function VersionBanner({ sessionKey, version, messages }: Omit<Props, 'version' | 'detail'> & { version: number }) {
  const { answer, again } = useRequest(`versions ${sessionKey} of banner`, signal =>
    archiveApi.versions(sessionKey, MOST, signal),
  )
  useEffect(() => listen('ready', again), [again])
  const shown = answer?.versions.find(({ number }) => number === version)
  const newest = answer?.versions.find(({ exists }) => exists)
  return (
    <Banner tone="archive" role="status">
      <span className="min-w-0">
        {shown === undefined ? 'An earlier state' : `As of ${formatMoment(shown.time)}`}
        {messages !== undefined && `, ${plural(messages, 'message')}`}.
      </span>
      <span className="flex flex-wrap gap-2">
        <Button size="sm" onClick={() => restoreAsked.set({ key: sessionKey, version })}>
          Restore
        </Button>
        {newest !== undefined && newest.number !== version && (
          <Button size="sm" onClick={() => differenceAsked.set({ key: sessionKey, from: version, to: newest.number })}>
            Compare
          </Button>
        )}
        <Button size="sm" onClick={() => enterSession(sessionKey)}>
          Back to the present
        </Button>
      </span>
    </Banner>
  )
}

const MOST = 500

interface NoteProps {
  detail: SessionDetail
  archived: ApiArchived
  work: Work | undefined
}

/** In the health pane of a deleted session. */
export function ArchivedNote({ detail, archived, work }: NoteProps) {
  return (
    <div className="flex flex-col items-start gap-2 rounded-md bg-sunken px-3 py-2.5">
      <p className="flex items-start gap-2 text-base text-strong">
        <IconArchive size={16} className="mt-0.5" />
        <span className="min-w-0">{firstUpper(archivedWords(archived, detail.agentTitle))}.</span>
      </p>
      <p className="text-normal text-sm">
        {detail.agentTitle} no longer has this conversation. The archive has its last state.
      </p>
      <Button
        variant="primary"
        icon={<IconArchive size={14} />}
        disabled={work !== undefined}
        onClick={() => restoreAsked.set({ key: detail.key, version: undefined })}
      >
        Restore
      </Button>
    </div>
  )
}

function firstUpper(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}
