// Bytes that are not UTF-8: their places, and their replacement when read as text.
import { isUtf8 } from 'node:buffer'
import type { Edit } from './edits.ts'

const REPLACEMENT = Buffer.from('\ufffd')
const MAX_CHARACTER_BYTES = 4

/** Whether bytes in chunks are UTF-8. A chunk may end inside a character. */
export class Utf8Check {
  isValid = true
  #prepared: Buffer = Buffer.alloc(0)

  push(chunk: Buffer): void {
    if (!this.isValid) return
    const bytes = this.#prepared.length === 0 ? chunk : Buffer.concat([this.#prepared, chunk])
    const end = endOfCharacters(bytes)
    this.isValid = isUtf8(bytes.subarray(0, end))
    this.#prepared = Buffer.from(bytes.subarray(end))
  }

  end(): boolean {
    return this.isValid && this.#prepared.length === 0
  }
}

/** The place before a character that is cut by the end. */
export function endOfCharacters(bytes: Buffer, end = bytes.length): number {
  for (let at = end - 1; at >= 0 && at > end - MAX_CHARACTER_BYTES; at--) {
    const byte = bytes[at] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    return byte >= 0xc0 && end - at < lengthFrom(byte) ? at : end
  }
  return end
}

/** The edits that replace invalid UTF-8 with U+FFFD, like a decoder. Neighbours are one edit. */
export function utf8Edits(bytes: Buffer, base: number): Edit[] {
  if (isUtf8(bytes)) return []
  const edits: Edit[] = []
  for (let at = 0; at < bytes.length; ) {
    const { length, isWhole } = characterAt(bytes, at)
    if (!isWhole) addEdit(edits, base + at, base + at + length)
    at += length
  }
  return edits
}

function addEdit(edits: Edit[], start: number, end: number): void {
  const last = edits.at(-1)
  if (last?.end === start) {
    last.end = end
    last.bytes = Buffer.concat([last.bytes, REPLACEMENT])
  } else edits.push({ start, end, bytes: REPLACEMENT })
}

/** The character at a place, or as many bytes as could be the start of one. */
function characterAt(bytes: Buffer, at: number): { length: number; isWhole: boolean } {
  const lead = bytes[at] ?? 0
  if (lead < 0x80) return { length: 1, isWhole: true }
  if (lead < 0xc2 || lead > 0xf4) return { length: 1, isWhole: false }
  const needed = lengthFrom(lead)
  for (let length = 1; length < needed; length++) {
    const byte = bytes[at + length] ?? 0
    const [least, most] = length === 1 ? secondOf(lead) : [0x80, 0xbf]
    if (byte < least || byte > most) return { length, isWhole: false }
  }
  return { length: needed, isWhole: true }
}

function lengthFrom(lead: number): number {
  if (lead >= 0xf0) return 4
  return lead >= 0xe0 ? 3 : 2
}

/** Some first bytes restrict the second one, so that no character has two encodings. */
function secondOf(lead: number): [least: number, most: number] {
  switch (lead) {
    case 0xe0:
      return [0xa0, 0xbf]
    case 0xed:
      return [0x80, 0x9f]
    case 0xf0:
      return [0x90, 0xbf]
    case 0xf4:
      return [0x80, 0x8f]
    default:
      return [0x80, 0xbf]
  }
}
