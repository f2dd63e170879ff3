// What every part of a conversation needs to know of the whole. It outlives the messages, which come and go while the person scrolls.
import type { RefObject } from 'react'
import { createContext, useCallback, useContext, useState } from 'react'
import type { ApiMessage } from '../../../src/server/protocol.ts'
import type { ListHandle } from './list-handle.ts'

export interface Conversation {
  sessionKey: string
  branch: string | undefined
  agent: string
  agentTitle: string
  /** The session's own file: only its bytes can be shown. */
  filePath: string | undefined
  /** It is talked in here: its messages can be forked from. */
  isTalk: boolean
  /** What was opened or closed by hand, by a name of the part. */
  folds: Map<string, boolean>
  /** Moves the list; null until it is drawn. */
  list: RefObject<ListHandle | null>
  /** Messages asked for whole. Few: each may be of megabytes. */
  wholes: Map<number, ApiMessage>
}

export const ConversationContext = createContext<Conversation>({
  sessionKey: '',
  branch: undefined,
  agent: '',
  agentTitle: '',
  filePath: undefined,
  isTalk: false,
  list: { current: null },
  folds: new Map(),
  wholes: new Map(),
})

/** The message around is still being said: nothing of it is folded or kept. */
export const GrowingContext = createContext(false)

export function useConversation(): Conversation {
  return useContext(ConversationContext)
}

/** Open or folded; remembered when the message leaves the screen and comes back. */
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
