// Breaks a few bytes in the blocks of one answer of the model. For `inflict` only.

import type { Inflict } from '../damage.ts'
import { applyReplacements, pickRecord, readBreakableLog } from './break-records.ts'

export interface ContentBreak {
  /** Matched against the bytes of an answer. */
  pattern: RegExp
  /** The replacement for the match. */
  by(found: string): string
  what: string
}

export function breakContent({ pattern, by, what }: ContentBreak): Inflict {
  return (target, random) => {
    const log = readBreakableLog(target)
    if (log === undefined) return undefined
    const places = log.loaded
      .filter(({ facts }) => facts.role === 'assistant')
      .flatMap(({ start, end }) => {
        // Latin-1 maps one byte to one character, so offsets in the text are offsets in the bytes.
        const found = pattern.exec(log.bytes.toString('latin1', start, end))
        return found === null ? [] : [{ start: start + found.index, text: found[0] }]
      })
    const place = pickRecord(places, random)
    if (place === undefined) return undefined
    const { start, text } = place
    target.write(
      target.session.filePath,
      applyReplacements(log.bytes, [{ start, end: start + text.length, by: by(text) }]),
    )
    return { what: `${what} at ${start}`, destroyed: 0 }
  }
}

/** The start of a text block. */
export const TEXT_BLOCK = /\{"type":"text","text":"/
