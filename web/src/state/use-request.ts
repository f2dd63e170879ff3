// One answer of the server in a component: loading, answered, or failed. Requested again when `asked` changes
// or `again` is called.
import { useCallback, useEffect, useState } from 'react'
import { ApiFailure } from './api.ts'

export type Request<Answer> =
  | { state: 'loading'; answer: Answer | undefined; again: () => void }
  | { state: 'answered'; answer: Answer; again: () => void }
  | { state: 'failed'; failure: ApiFailure; answer: Answer | undefined; again: () => void }

interface Held<Answer> {
  asked: string
  answer?: Answer
  failure?: ApiFailure
  isLoading: boolean
}

/** `asked` identifies the request. While the same request is repeated, the old answer stays. */
export function useRequest<Answer>(asked: string, ask: (signal: AbortSignal) => Promise<Answer>): Request<Answer> {
  const [held, setHeld] = useState<Held<Answer>>({ asked, isLoading: true })
  const [round, setRound] = useState(0)
  const again = useCallback(() => setRound(before => before + 1), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` names what `ask` does, which is another function at each render
  useEffect(() => {
    const abort = new AbortController()
    setHeld(before => ({ ...(before.asked === asked ? before : {}), asked, isLoading: true }))
    ask(abort.signal).then(
      answer => setHeld({ asked, answer, isLoading: false }),
      error => {
        if (abort.signal.aborted) return
        const failure =
          error instanceof ApiFailure
            ? error
            : new ApiFailure({ code: 'page-failed', text: String(error), hint: 'Reload the page.' })
        setHeld(before => ({ ...(before.asked === asked ? before : {}), asked, failure, isLoading: false }))
      },
    )
    return () => abort.abort()
  }, [asked, round])
  const current = held.asked === asked ? held : { asked, isLoading: true }
  if (current.failure !== undefined) return { state: 'failed', failure: current.failure, answer: current.answer, again }
  if (current.answer !== undefined && !current.isLoading) return { state: 'answered', answer: current.answer, again }
  return { state: 'loading', answer: current.answer, again }
}
