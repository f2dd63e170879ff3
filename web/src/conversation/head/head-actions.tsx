// The actions in the head of a conversation, as data. A wide screen shows buttons, a phone one menu.
import type { ReactNode } from 'react'
import type { SessionDetail, TalkState } from '../../../../src/server/protocol.ts'
import { cleanLine } from '../../common/clean.ts'
import { formatCount, plural } from '../../common/format.ts'
import {
  IconBranch,
  IconChevronUp,
  IconClose,
  IconDownload,
  IconEye,
  IconPin,
  IconSubagent,
  IconTag,
  IconToFirst,
  IconToLast,
  IconWarning,
} from '../../common/icons.tsx'
import { addressOf, enterSession } from '../../state/view.ts'
import { forkTalk } from '../../talk/talk-actions.ts'
import type { Facts } from '../window/window-state.ts'
import { changeLabel, hideConversation } from './label-actions.ts'
import type { MenuItem } from './menu.tsx'

export interface HeadToolsProps {
  sessionKey: string
  branch: string | undefined
  detail: SessionDetail | undefined
  facts: Facts | undefined
  findings: number
  /** Undefined if the conversation is not live; null until its state is known. */
  talk: TalkState | null | undefined
  toFirst: () => void
  toLast: () => void
  toNextFinding: () => void
}

export interface HeadAction {
  type: 'action'
  key: string
  label: string
  icon: ReactNode
  shortcut?: string
  isOff?: boolean
  note?: string
  /** The target. An action with a target is a link. */
  href?: string
  run: () => void
}

interface HeadMenuGroup {
  type: 'menu'
  key: string
  label: string
  icon: ReactNode
  items: readonly MenuItem[]
}

interface HeadWords {
  type: 'words'
  key: string
  label: string
}

export type HeadGroup = HeadAction | HeadMenuGroup | HeadWords

/** What opens a dialog. */
export interface HeadDialogs {
  remove: () => void
  label: () => void
  export: () => void
}

export function groupsOf(props: HeadToolsProps, dialogs: HeadDialogs): HeadGroup[] {
  return [
    ...navigation(props),
    ...relatives(props),
    ...labels(props, dialogs.label),
    ...exports(props, dialogs.export),
    ...actionsOf(props, dialogs.remove),
  ]
}

function navigation({ facts, findings, toFirst, toLast, toNextFinding }: HeadToolsProps): HeadGroup[] {
  const isOff = facts === undefined || facts.total === 0
  const ways: HeadGroup[] = [
    { type: 'action', key: 'first', label: 'First', icon: <IconToFirst size={14} />, isOff, run: toFirst },
    { type: 'action', key: 'last', label: 'Last', icon: <IconToLast size={14} />, isOff, run: toLast },
  ]
  if (findings === 0) return ways
  const label = findings === 1 ? 'Go to finding' : `Next finding (${formatCount(findings)})`
  const icon = <IconWarning size={14} className="text-damaged" />
  return [...ways, { type: 'action', key: 'finding', label, icon, shortcut: 'n', run: toNextFinding }]
}

function relatives({ sessionKey, branch, detail, facts }: HeadToolsProps): HeadGroup[] {
  const groups: HeadGroup[] = []
  if (facts !== undefined && facts.branches.length > 0)
    groups.push({
      type: 'menu',
      key: 'branches',
      label: plural(facts.branches.length, 'branch', 'branches'),
      icon: <IconBranch size={14} />,
      items: branchItems(sessionKey, branch, facts),
    })
  if (detail !== undefined && detail.subagents.length > 0)
    groups.push({
      type: 'menu',
      key: 'subagents',
      label: plural(detail.subagents.length, 'subagent'),
      icon: <IconSubagent size={14} />,
      items: detail.subagents.map(({ key, title, sessionId }) => ({
        key,
        title: cleanLine(title ?? sessionId),
        run: () => enterSession(key),
      })),
    })
  if (detail?.parent != null) groups.push(linkTo('parent', 'Subagent of', detail.parent, <IconChevronUp size={14} />))
  const from = facts?.facts.forkedFrom
  if (detail?.origin === null && from !== undefined)
    groups.push({
      type: 'words',
      key: 'origin',
      label: `Forked from ${cleanLine(from).slice(0, 8)}, which is not here`,
    })
  if (detail?.origin != null) groups.push(linkTo('origin', 'Forked from', detail.origin, <IconBranch size={14} />))
  return groups
}

type Relative = NonNullable<SessionDetail['parent']>

function linkTo(key: string, words: string, { key: session, title, sessionId }: Relative, icon: ReactNode): HeadAction {
  const name = cleanLine(title ?? sessionId)
  const run = () => enterSession(session)
  return { type: 'action', key, label: `${words} ${name}`, icon, note: name, href: addressOf(session), run }
}

function labels({ detail }: HeadToolsProps, label: () => void): HeadGroup[] {
  if (detail === undefined) return []
  const { key, pinned, hidden } = detail
  const items: MenuItem[] = [
    { key: 'name', title: 'Name and tags…', icon: <IconTag size={14} />, run: label },
    {
      key: 'pin',
      title: pinned === true ? 'Unpin' : 'Pin to the top of the list',
      icon: <IconPin size={14} />,
      run: () => void changeLabel(key, { pinned: pinned !== true }),
    },
    {
      key: 'hide',
      title: hidden === true ? 'Show in the list again' : 'Hide from the list',
      icon: <IconEye size={14} />,
      run: () => void (hidden === true ? changeLabel(key, { hidden: false }) : hideConversation(key)),
    },
  ]
  return [{ type: 'menu', key: 'label', label: 'Organize', icon: <IconTag size={14} />, items }]
}

function exports({ detail }: HeadToolsProps, run: () => void): HeadGroup[] {
  if (detail === undefined) return []
  const note = 'Download it as one file: Markdown, HTML or JSON'
  return [{ type: 'action', key: 'export', label: 'Export', icon: <IconDownload size={14} />, note, run }]
}

function actionsOf({ sessionKey, facts, talk }: HeadToolsProps, remove: () => void): HeadGroup[] {
  if (talk == null || facts === undefined || facts.total === 0) return []
  const isBusy = talk.status === 'busy'
  return [
    {
      type: 'action',
      key: 'fork',
      label: 'Fork',
      icon: <IconBranch size={14} />,
      isOff: isBusy,
      note: 'Copy this conversation, and continue in the copy',
      run: () => void forkTalk(sessionKey, {}),
    },
    {
      type: 'action',
      key: 'remove',
      label: 'Remove',
      icon: <IconClose size={14} />,
      isOff: isBusy || talk.heldElsewhere !== null,
      note: 'Hide this conversation from the list',
      run: remove,
    },
  ]
}

function branchItems(sessionKey: string, branch: string | undefined, facts: Facts): MenuItem[] {
  const main: MenuItem = {
    key: '',
    title: 'The conversation',
    note: 'what the agent continues from',
    isCurrent: branch === undefined,
    run: () => enterSession(sessionKey),
  }
  const others = facts.branches.map(({ id, kind, messages, title }) => ({
    key: id,
    title: cleanLine(title) || 'No text',
    note: `${kind === 'abandoned' ? 'abandoned' : 'side chain'}, ${plural(messages, 'message')}`,
    isCurrent: id === branch,
    run: () => enterSession(sessionKey, id),
  }))
  return [main, ...others]
}
