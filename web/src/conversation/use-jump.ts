// Shows the message or byte that another pane requests.
import { useEffect } from 'react'
import { toast } from 'sonner'
import { useStore } from '../state/store.ts'
import type { JumpTarget } from '../state/view.ts'
import { jump, openSession } from '../state/view.ts'
import type { MessageListHandle } from './window/list-handle.ts'
import { whenDrawn } from './window/list-handle.ts'
import type { MessageWindow } from './window/message-window.ts'
import type { WindowState } from './window/window-state.ts'

export function useJump(
  sessionKey: string,
  /** A branch or an earlier state is shown. */
  isOther: boolean,
  messages: MessageWindow,
  state: WindowState,
  list: React.RefObject<MessageListHandle | null>,
): void {
  const wanted = useStore(jump)
  const isReady = state.facts !== undefined && state.facts.total > 0
  useEffect(() => {
    if (wanted === null || wanted.session !== sessionKey || !isReady) return
    // Places refer to the main line of the present state, which is
    // opened first. An address names its branch itself.
    if (isOther && !('id' in wanted.to)) {
      openSession(sessionKey)
      return
    }
    jump.set(null)
    void follow(wanted.to, messages, list)
  }, [wanted, sessionKey, isOther, isReady, messages, list])
}

async function follow(
  to: JumpTarget,
  messages: MessageWindow,
  list: React.RefObject<MessageListHandle | null>,
): Promise<void> {
  const drawn = await whenDrawn(list)
  const index = await indexOf(to, messages)
  if (index === undefined) toast('That message is no longer in this conversation.')
  else await drawn?.goTo(index)
}

async function indexOf(to: JumpTarget, messages: MessageWindow): Promise<number | undefined> {
  if ('message' in to) return to.message
  return 'id' in to ? await messages.findId(to.id) : await messages.find(to.byte)
}
