// The head of a conversation: what it is, how large, who spoke, and the ways through it.

import type { SessionDetail } from '../../../src/server/protocol.ts'
import { AgentMark } from '../common/agent-mark.tsx'
import { Button } from '../common/button.tsx'
import { cleanLine } from '../common/clean.ts'
import { formatBytes, formatMoment, plural } from '../common/format.ts'
import { IconChevronLeft, IconPanelRight, IconPlay } from '../common/icons.tsx'
import { useShortPath } from '../common/server.ts'
import { resumeSession } from '../state/actions.ts'
import { showPane } from '../state/view.ts'
import { CopyButton } from './copy-button.tsx'
import type { HeadToolsProps } from './head-tools.tsx'
import { HeadTools, KEY_HIDDEN_ON_PHONES } from './head-tools.tsx'
import type { Facts } from './window-state.ts'

const MAX_MODELS = 3
const SEPARATED = "after:ml-1.5 after:content-['·'] last-of-type:after:content-none"

interface Props extends HeadToolsProps {
  models: readonly string[]
}

export function ConversationHead(props: Props) {
  const { detail, facts, talk } = props
  const title = detail?.title ?? facts?.facts.title ?? talk?.title
  return (
    <header className="shrink-0 border-line border-b px-4 pt-3 pb-2">
      <div className="flex items-start gap-2">
        <Button
          variant="quiet"
          size="sm"
          className="-ml-2 px-1.5 sm:hidden"
          aria-label="Back to the list"
          icon={<IconChevronLeft />}
          onClick={() => showPane('list')}
        />
        <h2 className="line-clamp-2 min-w-0 flex-1 font-semibold text-lg text-strong leading-6 [overflow-wrap:anywhere]">
          {title == null ? untitled(props) : cleanLine(title)}
        </h2>
        {talk === undefined && <ResumeButton detail={detail} />}
        <Button
          variant="quiet"
          size="sm"
          className="px-1.5 lg:hidden"
          aria-label="Health of this conversation"
          icon={<IconPanelRight />}
          onClick={() => showPane('health')}
        />
      </div>
      <FactsLine {...props} />
      <HeadTools {...props} />
    </header>
  )
}

function untitled({ detail, talk }: Props): string {
  if (talk != null) return `New conversation with ${cleanLine(talk.agentTitle)}`
  return detail === undefined ? 'Conversation' : 'Untitled conversation'
}

function ResumeButton({ detail }: { detail: SessionDetail | undefined }) {
  const reason = detail?.resume.type === 'unsupported' ? cleanLine(detail.resume.reason) : undefined
  return (
    <Button
      variant="primary"
      size="sm"
      icon={<IconPlay size={14} />}
      shortcut="r"
      className={KEY_HIDDEN_ON_PHONES}
      disabled={detail === undefined || reason !== undefined}
      title={reason ?? 'Resume in a terminal; repaired first where it needs it'}
      onClick={() => detail !== undefined && resumeSession(detail.key)}
    >
      Resume
    </Button>
  )
}

function FactsLine({ detail, facts, models, talk }: Props) {
  const shortPath = useShortPath()
  const count = facts?.total ?? detail?.messageCount
  const project = detail?.project ?? facts?.facts.project ?? talk?.folder
  const words = [
    project == null ? undefined : { key: 'project', text: shortPath(project), title: cleanLine(project) },
    count == null ? undefined : { key: 'count', text: plural(count, 'message') },
    detail === undefined ? undefined : { key: 'size', text: formatBytes(detail.fileSize) },
    models.length === 0 ? undefined : { key: 'models', text: modelWords(models), title: models.join(', ') },
    { key: 'time', text: timeRange(facts, detail) },
  ].filter(word => word !== undefined && word.text !== '')
  return (
    <p className="mt-1 flex min-h-5 flex-wrap items-center gap-x-1.5 text-quiet text-sm [overflow-wrap:anywhere]">
      {detail !== undefined && (
        <>
          <AgentMark agent={detail.agent} size={16} />
          <span className={SEPARATED}>
            <span className="text-normal">
              {detail.agentTitle}
              {facts?.facts.agentVersion !== undefined && ` ${cleanLine(facts.facts.agentVersion)}`}
            </span>
          </span>
        </>
      )}
      {words.map(word => (
        <span key={word?.key} title={word?.title} className={SEPARATED}>
          {word?.text}
        </span>
      ))}
      {detail !== undefined && (
        <CopyButton label={`Copy the session id ${cleanLine(detail.sessionId)}`} textOf={() => detail.quotedId} />
      )}
    </p>
  )
}

function modelWords(models: readonly string[]): string {
  const shown = models.slice(0, MAX_MODELS).join(', ')
  return models.length > MAX_MODELS ? `${shown} and ${models.length - MAX_MODELS} more` : shown
}

/** One day is said once. */
function timeRange(facts: Facts | undefined, detail: SessionDetail | undefined): string {
  const from = facts?.facts.startedAt
  const to = detail?.updatedAt
  if (to === undefined) return from === undefined ? '' : formatMoment(from)
  if (from === undefined) return formatMoment(to)
  const [fromDay, fromTime = ''] = formatMoment(from).split(', ')
  const [toDay, toTime = ''] = formatMoment(to).split(', ')
  if (fromDay !== toDay) return `${formatMoment(from)} – ${formatMoment(to)}`
  return fromTime === toTime ? formatMoment(from) : `${fromDay}, ${fromTime} – ${toTime}`
}
