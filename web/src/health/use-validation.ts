// Whether the edited text is valid, asked from the server at each pause. A sanitize run makes the same test.
import { useEffect, useState } from 'react'
import type { Validated } from '../../../src/server/protocol.ts'
import { ApiFailure, sanitizeApi } from '../state/api.ts'

const PAUSE_MS = 300

export type Validation = Validated | { isRight: undefined } | { isRight: false; text: string; line: null; column: null }

/** Undefined until the server has answered. `first` is the result for the original text. */
export function useValidation(
  sessionKey: string,
  text: string,
  first: { text: string; result: Validated },
): Validation {
  const [known, setKnown] = useState<{ text: string; result: Validation }>(first)
  const isKnown = known.text === text
  useEffect(() => {
    if (isKnown) return
    const abort = new AbortController()
    const timer = setTimeout(() => {
      sanitizeApi.validate(sessionKey, text, abort.signal).then(
        result => setKnown({ text, result }),
        error => {
          if (abort.signal.aborted) return
          const words = error instanceof ApiFailure ? error.message : String(error)
          setKnown({ text, result: { isRight: false, text: words, line: null, column: null } })
        },
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [sessionKey, text, isKnown])
  return isKnown ? known.result : { isRight: undefined }
}
