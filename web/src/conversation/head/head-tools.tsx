// Navigation in a conversation: first, last, findings, branches, subagents and the parent session. A row of
// buttons, or one menu on a phone.
import type { MouseEvent, ReactNode } from 'react'
import { useState } from 'react'
import { Button } from '../../common/button.tsx'
import { IconDots } from '../../common/icons.tsx'
import { RemoveDialog } from '../../talk/remove-talk.tsx'
import { ExportDialog } from './export-dialog.tsx'
import type { HeadAction, HeadDialogs, HeadGroup, HeadToolsProps } from './head-actions.tsx'
import { groupsOf } from './head-actions.tsx'
import { LabelDialog } from './label-dialog.tsx'
import type { MenuItem } from './menu.tsx'
import { Menu } from './menu.tsx'

/** Phones have no keyboard. */
export const KEY_HIDDEN_ON_PHONES = 'max-sm:[&>span[aria-hidden]]:hidden'

export function HeadTools(props: HeadToolsProps) {
  const [dialog, dialogs] = useDialogs(props)
  return (
    <div className="-ml-2 mt-1 flex flex-wrap items-center gap-x-1 gap-y-0.5">
      {groupsOf(props, dialogs).map(group => (
        <Tool key={group.key} group={group} />
      ))}
      {dialog}
    </div>
  )
}

function Tool({ group }: { group: HeadGroup }) {
  switch (group.type) {
    case 'menu':
      return <Menu label={group.label} icon={group.icon} items={group.items} />
    case 'words':
      return <span className="px-2 text-quiet text-sm">{group.label}</span>
    case 'action':
      return group.href === undefined ? (
        <ActionButton action={group} />
      ) : (
        <ActionLink action={group} href={group.href} />
      )
  }
}

/**
 * A plain click opens the session in this page and moves the focus. The browser handles every other click.
 */
function ActionLink({ action: { label, icon, note, run }, href }: { action: HeadAction; href: string }) {
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    run()
  }
  return (
    <a
      href={href}
      title={note}
      onClick={follow}
      className="inline-flex h-7 max-w-full items-center gap-1.5 rounded-md px-2 font-medium text-accent text-sm underline-offset-2 hover:underline"
    >
      {icon}
      <span className="max-w-72 truncate">{label}</span>
    </a>
  )
}

function ActionButton({ action: { label, icon, shortcut, isOff, note, run } }: { action: HeadAction }) {
  return (
    <Button
      variant="quiet"
      size="sm"
      icon={icon}
      shortcut={shortcut}
      disabled={isOff}
      title={note}
      onClick={run}
      className="max-w-full"
    >
      <span className="max-w-72 truncate">{label}</span>
    </Button>
  )
}

/** All actions behind one button, because the messages need the room. */
export function HeadMenu(props: HeadToolsProps & { more: readonly MenuItem[] }) {
  const [dialog, dialogs] = useDialogs(props)
  const items = groupsOf(props, dialogs).flatMap((group): MenuItem[] => {
    if (group.type === 'menu')
      return group.items.map(item => ({ ...item, key: `${group.key} ${item.key}`, icon: item.icon ?? group.icon }))
    if (group.type === 'words') return []
    return group.isOff === true ? [] : [{ key: group.key, title: group.label, icon: group.icon, run: group.run }]
  })
  return (
    <>
      <Menu label="More" icon={<IconDots size={16} />} isIconOnly isAtEnd items={[...items, ...props.more]} />
      {dialog}
    </>
  )
}

/** At most one of them is open. */
function useDialogs(props: HeadToolsProps): [ReactNode, HeadDialogs] {
  const [open, setOpen] = useState<keyof HeadDialogs>()
  const onClose = () => setOpen(undefined)
  const dialogs = { remove: () => setOpen('remove'), label: () => setOpen('label'), export: () => setOpen('export') }
  if (open === 'remove') return [<Removing key="remove" {...props} onClose={onClose} />, dialogs]
  if (open === 'label' && props.detail !== undefined)
    return [<LabelDialog key="label" detail={props.detail} onClose={onClose} />, dialogs]
  if (open === 'export') return [<ExportDialog key="export" sessionKey={props.sessionKey} onClose={onClose} />, dialogs]
  return [null, dialogs]
}

function Removing({ sessionKey, talk, detail, onClose }: HeadToolsProps & { onClose: () => void }) {
  return talk == null ? null : <RemoveDialog {...{ sessionKey, talk, detail, onClose }} />
}
