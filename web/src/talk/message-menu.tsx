// The menu of one message of a live conversation.
import type { ApiMessage } from '../../../src/server/protocol.ts'
import { IconBranch, IconDots } from '../common/icons.tsx'
import { Menu } from '../conversation/head/menu.tsx'
import { PENDING_ID } from './live-messages.ts'
import { forkTalk } from './talk-actions.ts'

export function MessageMenu({ sessionKey, message }: { sessionKey: string; message: ApiMessage }) {
  if (message.id === PENDING_ID || message.isOpen === true || message.role === 'system') return null
  const isOfPerson = message.role === 'user'
  const item = isOfPerson
    ? { title: 'Fork before this message', note: 'a copy of everything before it', place: { before: message.id } }
    : { title: 'Fork after this answer', note: 'a copy of everything up to here', place: { upTo: message.id } }
  return (
    <Menu
      label={`Message ${message.index + 1}`}
      icon={<IconDots size={14} />}
      isIconOnly
      items={[
        {
          key: 'fork',
          title: item.title,
          note: item.note,
          icon: <IconBranch size={14} />,
          run: () => void forkTalk(sessionKey, item.place),
        },
      ]}
    />
  )
}
