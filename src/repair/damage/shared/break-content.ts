// Breaks what the model said: a few bytes in the blocks of one of its answers. For `inflict` alone.

import type { Inflict } from '../damage.ts'
import { pick, readBreakableLog, replaceAll } from './break-records.ts'

export interface ContentBreak {
  /** Found in the bytes of an answer. */
  pattern: RegExp
  /** What stands there instead of what was found. */
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
        // One byte, one character: places in the text are places in the bytes.
        const found = pattern.exec(log.bytes.toString('latin1', start, end))
        return found === null ? [] : [{ start: start + found.index, text: found[0] }]
      })
    const place = pick(places, random)
    if (place === undefined) return undefined
    const { start, text } = place
    target.write(target.session.filePath, replaceAll(log.bytes, [{ start, end: start + text.length, by: by(text) }]))
    return { what: `${what} at ${start}`, destroyed: 0 }
  }
}

/** The opening of a block of text. */
export const TEXT_BLOCK = /\{"type":"text","text":"/
