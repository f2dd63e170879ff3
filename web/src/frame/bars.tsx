// Bars below the header: this is a demo, or the connection is lost and what to do.
import type { ReactNode } from 'react'
import { CopyCommand } from '../common/copy-command.tsx'
import { IconInfo, IconUnplugged } from '../common/icons.tsx'
import { serverInfo } from '../common/server.ts'
import type { Layout } from '../common/use-layout.ts'
import { useLong } from '../common/use-long.ts'
import { connection } from '../state/socket.ts'
import { useStore } from '../state/store.ts'
import { view } from '../state/view.ts'

export function DemoBar({ layout }: { layout: Layout }) {
  const isDemo = useStore(serverInfo)?.isDemo ?? false
  const { session, pane } = useStore(view)
  // A phone shows it only with the list, because the conversation needs the room.
  const hasRoom = layout !== 'narrow' || session === null || pane === 'list'
  if (!isDemo || !hasRoom) return null
  return (
    <aside
      aria-label="Demo"
      className="flex shrink-0 items-center gap-2 border-line border-b bg-accent-soft px-4 py-1.5 text-sm text-strong"
    >
      <IconInfo size={14} className="text-accent" />
      <span>A demo with sample conversations in a temporary folder. Your own files are not touched.</span>
    </aside>
  )
}

export function ConnectionBar() {
  const now = useStore(connection)
  const isLong = useLong(now.state === 'lost')
  if (now.state === 'refused')
    return (
      <Bar words={now.reason}>
        <span>To print the address again, run</span>
        <CopyCommand command="rethread serve" />
      </Bar>
    )
  if (now.state !== 'lost' || !isLong) return null
  return (
    <Bar words={`${now.reason} Reconnecting. What you see may be out of date.`}>
      <span>If it is not running, start it:</span>
      <CopyCommand command="rethread serve" />
    </Bar>
  )
}

function Bar({ words, children }: { words: string; children: ReactNode }) {
  return (
    <div
      role="status"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-line border-b bg-damaged-soft px-4 py-1.5 text-normal text-sm"
    >
      <span className="flex items-center gap-2 text-strong">
        <IconUnplugged size={14} className="text-damaged" />
        {words}
      </span>
      {children}
    </div>
  )
}
