// The typed flags, and their meaning according to the server.
import { useEffect, useState } from 'react'
import type { FlagsAnswer, FlagsQuestion, SanitizeDecisions } from '../../../src/server/protocol.ts'
import { ApiFailure, sanitizeApi } from '../state/api.ts'

const PAUSE_MS = 250

export interface TypedFlags {
  line: string
  setLine: (line: string) => void
  /** For the current line; undefined while it is empty or being validated. */
  answer: FlagsAnswer | undefined
  /** Null: repair without flags. */
  decision: NonNullable<SanitizeDecisions['flags']> | null
}

export function useFlags(sessionKey: string, question: FlagsQuestion | null): TypedFlags {
  const [line, setLine] = useState(question?.remembered ?? '')
  const [answered, setAnswered] = useState<{ line: string; answer: FlagsAnswer }>()
  const isEmpty = question === null || line.trim() === ''
  useEffect(() => {
    if (isEmpty) return
    const abort = new AbortController()
    const timer = setTimeout(() => {
      sanitizeApi.flags(sessionKey, line, abort.signal).then(
        answer => setAnswered({ line, answer }),
        error => {
          if (abort.signal.aborted) return
          const text = error instanceof ApiFailure ? error.message : String(error)
          setAnswered({ line, answer: { type: 'wrong', text } })
        },
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [sessionKey, line, isEmpty])
  const answer = !isEmpty && answered?.line === line ? answered.answer : undefined
  return { line, setLine, answer, decision: isEmpty ? null : { line } }
}
