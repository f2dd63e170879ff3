// Shows the message or byte that another pane requests.
import { useEffect } from 'react'
import { useStore } from '../state/store.ts'
import { jump, openSession } from '../state/view.ts'
import type { MessageListHandle } from './list-handle.ts'
import { whenDrawn } from './list-handle.ts'
import type { MessageWindow } from './message-window.ts'
import type { WindowState } from './window-state.ts'

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
    // Places refer to the main line of the present state, which is opened first.
    if (isOther) {
      openSession(sessionKey)
      return
    }
    jump.set(null)
    void follow(wanted.to, messages, list)
  }, [wanted, sessionKey, isOther, isReady, messages, list])
}

async function follow(
  to: { message: number } | { byte: number },
  messages: MessageWindow,
  list: React.RefObject<MessageListHandle | null>,
): Promise<void> {
  const drawn = await whenDrawn(list)
  const index = 'message' in to ? to.message : await messages.find(to.byte)
  await drawn?.goTo(index)
}
