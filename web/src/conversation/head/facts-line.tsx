// A conversation in one line: agent, project, messages, size, models, time.
import type { SessionDetail } from '../../../../src/server/protocol.ts'
import { AgentMark } from '../../common/agent-mark.tsx'
import { cleanLine } from '../../common/clean.ts'
import { formatBytes, formatMoment, plural } from '../../common/format.ts'
import { useShortPath } from '../../common/server.ts'
import { formatCosts, usageDetails, usageWords } from '../../common/usage-words.ts'
import { useConversation } from '../conversation-context.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import type { Facts } from '../window/window-state.ts'
import type { HeadProps } from './conversation-head.tsx'

const MAX_MODELS = 3
const SEPARATED = "after:ml-1.5 after:content-['·'] last-of-type:after:content-none"

interface Word {
  key: string
  text: string
  title?: string
}

/** `isShort`: one line on a phone, cut at its end. */
export function FactsLine({ isShort = false, ...props }: HeadProps & { isShort?: boolean }) {
  const { detail, facts } = props
  const words = useWords(props)
  const room = isShort
    ? 'h-5 overflow-hidden whitespace-nowrap px-3'
    : 'mt-1 min-h-5 flex-wrap [overflow-wrap:anywhere]'
  return (
    <p className={`flex items-center gap-x-1.5 text-quiet text-sm ${room}`}>
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
      {words.map(({ key, title, text }) => (
        <span key={key} title={title} className={SEPARATED}>
          {text}
        </span>
      ))}
      {detail !== undefined && !isShort && (
        <CopyButton label={`Copy the session id ${cleanLine(detail.sessionId)}`} textOf={() => detail.quotedId} />
      )}
    </p>
  )
}

function useWords({ detail, facts, models, talk }: HeadProps): Word[] {
  const shortPath = useShortPath()
  const count = facts?.total ?? detail?.messageCount
  // The size, the tokens and the time are those of the present state.
  const isPresent = useConversation().version === undefined
  const present = isPresent ? detail : undefined
  const usage = present?.usage
  const project = detail?.project ?? facts?.facts.project ?? talk?.folder
  return [
    project == null ? undefined : { key: 'project', text: shortPath(project), title: cleanLine(project) },
    count == null ? undefined : { key: 'count', text: plural(count, 'message') },
    present === undefined ? undefined : { key: 'size', text: formatBytes(present.fileSize) },
    detail?.tags === undefined
      ? undefined
      : { key: 'tags', text: detail.tags.map(tag => `#${cleanLine(tag)}`).join(' ') },
    models.length === 0 ? undefined : { key: 'models', text: modelWords(models), title: models.join(', ') },
    usage === undefined
      ? undefined
      : {
          key: 'usage',
          text: [usageWords(usage), formatCosts(usage.costs)].filter(Boolean).join(' · '),
          title: usageDetails(usage),
        },
    { key: 'time', text: timeRange(facts, present) },
  ].filter((word): word is Word => word !== undefined && word.text !== '')
}

function modelWords(models: readonly string[]): string {
  const shown = models.slice(0, MAX_MODELS).join(', ')
  return models.length > MAX_MODELS ? `${shown} and ${models.length - MAX_MODELS} more` : shown
}

/** A range within one day shows the day once. */
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
