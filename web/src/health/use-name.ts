// The typed folder name, validated by the server at each pause.
import { useEffect, useState } from 'react'
import type { NameAnswer, NameQuestion, SanitizeDecisions } from '../../../src/server/protocol.ts'
import { ApiFailure, sanitizeApi } from '../state/api.ts'

const PAUSE_MS = 250

export interface TypedName {
  name: string
  setName: (name: string) => void
  /** For the current name; undefined while it is being validated. */
  answer: NameAnswer | undefined
  /** Undefined if there is no question about the name. */
  decision: SanitizeDecisions['name']
}

export function useName(sessionKey: string, question: NameQuestion | null): TypedName {
  const proposed = question?.proposed ?? ''
  const [typed, setName] = useState<string>()
  // Until the user types, the current proposal is used.
  const name = (typed ?? proposed).trim()
  const isProposed = name === proposed
  const [answered, setAnswered] = useState<{ name: string; answer: NameAnswer }>()
  useEffect(() => {
    if (isProposed) return
    const abort = new AbortController()
    const timer = setTimeout(() => {
      sanitizeApi.name(sessionKey, name, abort.signal).then(
        answer => setAnswered({ name, answer }),
        error => {
          if (abort.signal.aborted) return
          const text = error instanceof ApiFailure ? error.message : String(error)
          setAnswered({ name, answer: { isRight: false, text } })
        },
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [sessionKey, name, isProposed])
  const asked = answered?.name === name ? answered.answer : undefined
  const answer: NameAnswer | undefined = isProposed ? { isRight: true } : asked
  return {
    name: typed ?? proposed,
    setName,
    answer,
    decision: question === null ? undefined : { type: 'rename', name },
  }
}
