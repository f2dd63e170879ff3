// A part that was cut is asked for whole, when the person wants it.
import { useEffect, useState } from 'react'
import type { ApiPart } from '../../../src/server/protocol.ts'
import { ApiFailure, api } from '../state/api.ts'
import { useConversation } from './conversation-context.ts'

const MAX_WHOLES = 6

export interface Whole {
  part: ApiPart | undefined
  state: 'cut' | 'loading' | 'failed' | 'whole'
  failure: string | undefined
  load: () => void
}

export function useWhole(index: number, number: number): Whole {
  const { sessionKey, branch, wholes } = useConversation()
  const [part, setPart] = useState(wholes.get(index)?.parts[number])
  const [isWanted, setIsWanted] = useState(false)
  const [failure, setFailure] = useState<string>()
  useEffect(() => {
    if (!isWanted) return
    const abort = new AbortController()
    api.message(sessionKey, index, branch, abort.signal).then(
      message => {
        wholes.set(index, message)
        for (const oldest of wholes.keys()) if (wholes.size > MAX_WHOLES) wholes.delete(oldest)
        setPart(message.parts[number])
        setIsWanted(false)
      },
      error => {
        if (abort.signal.aborted) return
        setFailure(error instanceof ApiFailure ? error.message : String(error))
        setIsWanted(false)
      },
    )
    return () => abort.abort()
  }, [isWanted, sessionKey, branch, index, number, wholes])
  const load = () => {
    setFailure(undefined)
    setIsWanted(true)
  }
  const state = part !== undefined ? 'whole' : isWanted ? 'loading' : failure !== undefined ? 'failed' : 'cut'
  return { part, state, failure, load }
}
