// Whether the text that is being edited is right, asked of the server at each pause. It is the same test that a run makes.
import { useEffect, useState } from 'react'
import type { Validated } from '../../../src/server/protocol.ts'
import { ApiFailure, sanitizeApi } from '../state/api.ts'

const PAUSE_MS = 300

export type Validation = Validated | { isRight: undefined } | { isRight: false; text: string; line: null; column: null }

/** Undefined as long as nobody has said. `first` is known of the text as it was opened. */
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
