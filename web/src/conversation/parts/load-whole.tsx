// Loads a part that was cut in full, on request: the request, and the line with the button below the part.

import { useEffect, useState } from 'react'
import type { ApiPart } from '../../../../src/server/protocol.ts'
import { Button } from '../../common/button.tsx'
import { formatBytes } from '../../common/format.ts'
import { ApiFailure, api } from '../../state/api.ts'
import { useConversation } from '../conversation-context.ts'

export function LoadWhole({ whole, shown, cut }: { whole: Whole; shown: number; cut: number | undefined }) {
  if (cut === undefined || cut <= 0 || whole.state === 'whole') return null
  return (
    <div className="mt-2 flex flex-wrap items-center gap-2 text-quiet text-sm">
      <Button size="sm" onClick={whole.load} disabled={whole.state === 'loading'}>
        {whole.state === 'loading' ? `Loading ${formatBytes(shown + cut)}…` : `Load all ${formatBytes(shown + cut)}`}
      </Button>
      <span role={whole.state === 'failed' ? 'alert' : undefined}>
        {whole.state === 'failed' ? whole.failure : 'Only the beginning is shown.'}
      </span>
    </div>
  )
}

const MAX_WHOLES = 6

export interface Whole {
  part: ApiPart | undefined
  state: 'cut' | 'loading' | 'failed' | 'whole'
  failure: string | undefined
  load: () => void
}

export function useWhole(index: number, number: number): Whole {
  const { sessionKey, branch, version, wholes } = useConversation()
  const [part, setPart] = useState(wholes.get(index)?.parts[number])
  const [isWanted, setIsWanted] = useState(false)
  const [failure, setFailure] = useState<string>()
  useEffect(() => {
    if (!isWanted) return
    const abort = new AbortController()
    api.message(sessionKey, index, { branch, version }, abort.signal).then(
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
  }, [isWanted, sessionKey, branch, version, index, number, wholes])
  const load = () => {
    setFailure(undefined)
    setIsWanted(true)
  }
  const state = part !== undefined ? 'whole' : isWanted ? 'loading' : failure !== undefined ? 'failed' : 'cut'
  return { part, state, failure, load }
}
