// What every part of a conversation needs to know about the whole. It outlives the messages, which are
// unmounted while the user scrolls.
import type { RefObject } from 'react'
import { createContext, useCallback, useContext, useState } from 'react'
import type { ApiMessage } from '../../../src/server/protocol.ts'
import type { MessageListHandle } from './window/list-handle.ts'

export interface Conversation {
  sessionKey: string
  branch: string | undefined
  /** The restore point that is shown. */
  version: number | undefined
  agent: string
  agentTitle: string
  /** The session file. Only its bytes can be shown. */
  filePath: string | undefined
  /** A live conversation, which can be forked at a message. */
  isTalk: boolean
  /** Parts that the user opened or folded, by name. */
  folds: Map<string, boolean>
  /** Moves the list; null until it is mounted. */
  list: RefObject<MessageListHandle | null>
  /** Messages that were loaded in full. Few, because each may have megabytes. */
  wholes: Map<number, ApiMessage>
}

export const ConversationContext = createContext<Conversation>({
  sessionKey: '',
  branch: undefined,
  version: undefined,
  agent: '',
  agentTitle: '',
  filePath: undefined,
  isTalk: false,
  list: { current: null },
  folds: new Map(),
  wholes: new Map(),
})

/** The message is still growing: nothing in it is folded or cached. */
export const GrowingContext = createContext(false)

export function useConversation(): Conversation {
  return useContext(ConversationContext)
}

/** Open or folded. Survives when the message leaves the screen. */
export function useFold(name: string, isOpenFirst = false): [boolean, (isOpen: boolean) => void] {
  const { folds } = useConversation()
  const [isOpen, setIsOpen] = useState(folds.get(name) ?? isOpenFirst)
  const set = useCallback(
    (next: boolean) => {
      folds.set(name, next)
      setIsOpen(next)
    },
    [folds, name],
  )
  return [isOpen, set]
}
