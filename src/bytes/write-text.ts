// Text as UTF-8.
import { transcode } from 'node:buffer'

/** Characters that V8 keeps in two bytes each. It is slow to write a text with any of them as UTF-8. */
const WIDE = /[^\0-\xff]/
/** For others, the way through UTF-16 is not worth it. */
const [MIN_CHARACTERS, MAX_CHARACTERS] = [256, 512 * 1024]
/** One for each thread, made when it is needed. */
let memory: Buffer | undefined

/** Like `write` of a buffer with enough room, for text without lone surrogates such as JSON. Faster where it is long. */
export function writeText(text: string, into: Buffer, at: number): number {
  if (text.length < MIN_CHARACTERS || text.length > MAX_CHARACTERS || !WIDE.test(text)) return into.write(text, at)
  memory ??= Buffer.allocUnsafeSlow(2 * MAX_CHARACTERS)
  const length = memory.write(text, 'utf16le')
  return transcode(memory.subarray(0, length), 'utf16le', 'utf8').copy(into, at)
}
