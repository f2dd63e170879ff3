// Ways through a conversation: first, last, the findings, branches, sub-agents and the session it belongs to.
import type { SessionDetail, TalkState } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanLine } from '../common/clean.ts'
import { plural } from '../common/format.ts'
import { IconBranch, IconChevronUp, IconSubagent, IconToFirst, IconToLast, IconWarning } from '../common/icons.tsx'
import { openSession } from '../state/view.ts'
import { RemoveTalk } from '../talk/remove-talk.tsx'
import { forkTalk } from '../talk/talk-actions.ts'
import type { MenuItem } from './menu.tsx'
import { Menu } from './menu.tsx'
import type { Facts } from './window-state.ts'

/** There is no keyboard to press it on. */
export const KEY_HIDDEN_ON_PHONES = 'max-sm:[&>span[aria-hidden]]:hidden'

export interface HeadToolsProps {
  sessionKey: string
  branch: string | undefined
  detail: SessionDetail | undefined
  facts: Facts | undefined
  findings: number
  /** Undefined where it is not talked in; null until it is known how it is. */
  talk: TalkState | null | undefined
  toFirst: () => void
  toLast: () => void
  toNextFinding: () => void
}

export function HeadTools({
  detail,
  facts,
  findings,
  toFirst,
  toLast,
  toNextFinding,
  sessionKey,
  branch,
  talk,
}: HeadToolsProps) {
  const isEmpty = facts === undefined || facts.total === 0
  return (
    <div className="-ml-2 mt-1 flex flex-wrap items-center gap-x-1 gap-y-0.5">
      <Button variant="quiet" size="sm" icon={<IconToFirst size={14} />} disabled={isEmpty} onClick={toFirst}>
        First
      </Button>
      <Button variant="quiet" size="sm" icon={<IconToLast size={14} />} disabled={isEmpty} onClick={toLast}>
        Last
      </Button>
      {findings > 0 && (
        <Button
          variant="quiet"
          size="sm"
          icon={<IconWarning size={14} className="text-damaged" />}
          shortcut="n"
          className={KEY_HIDDEN_ON_PHONES}
          onClick={toNextFinding}
        >
          Next of {plural(findings, 'finding')}
        </Button>
      )}
      {facts !== undefined && facts.branches.length > 0 && (
        <Menu
          label={plural(facts.branches.length, 'branch', 'branches')}
          icon={<IconBranch size={14} />}
          items={branchItems(sessionKey, branch, facts)}
        />
      )}
      {detail !== undefined && detail.subagents.length > 0 && (
        <Menu
          label={plural(detail.subagents.length, 'sub-agent')}
          icon={<IconSubagent size={14} />}
          items={detail.subagents.map(({ key, title, sessionId }) => ({
            key,
            title: cleanLine(title ?? sessionId),
            run: () => openSession(key),
          }))}
        />
      )}
      {talk != null && !isEmpty && (
        <Button
          variant="quiet"
          size="sm"
          icon={<IconBranch size={14} />}
          disabled={talk.status === 'busy'}
          title="A copy of this conversation that goes its own way"
          onClick={() => void forkTalk(sessionKey, {})}
        >
          Fork
        </Button>
      )}
      {talk != null && !isEmpty && <RemoveTalk {...{ sessionKey, talk, detail }} />}
      {detail?.parent != null && <ParentButton parent={detail.parent} />}
      {facts?.facts.forkedFrom !== undefined && (
        <span className="px-2 text-quiet text-sm" title={cleanLine(facts.facts.forkedFrom)}>
          forked from <span className="font-mono text-xs">{cleanLine(facts.facts.forkedFrom).slice(0, 8)}</span>
        </span>
      )}
    </div>
  )
}

function ParentButton({ parent }: { parent: NonNullable<SessionDetail['parent']> }) {
  const title = cleanLine(parent.title ?? parent.sessionId)
  return (
    <Button
      variant="quiet"
      size="sm"
      className="max-w-full"
      icon={<IconChevronUp size={14} />}
      title={title}
      onClick={() => openSession(parent.key)}
    >
      <span className="max-w-60 truncate">Sub-agent of {title}</span>
    </Button>
  )
}

function branchItems(sessionKey: string, branch: string | undefined, facts: Facts): MenuItem[] {
  const main: MenuItem = {
    key: '',
    title: 'The conversation',
    note: 'what the agent goes on from',
    isCurrent: branch === undefined,
    run: () => openSession(sessionKey),
  }
  const others = facts.branches.map(({ id, kind, messages, title }) => ({
    key: id,
    title: cleanLine(title) || 'Without words',
    note: `${kind === 'abandoned' ? 'abandoned' : 'side chain'}, ${plural(messages, 'message')}`,
    isCurrent: id === branch,
    run: () => openSession(sessionKey, id),
  }))
  return [main, ...others]
}
