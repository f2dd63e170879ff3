// Bytes that are no UTF-8: where they stand, and what stands for them when they are read as text.
import { isUtf8 } from 'node:buffer'
import type { Edit } from './edits.ts'

const REPLACEMENT = Buffer.from('\ufffd')
const MAX_CHARACTER_BYTES = 4

/** Whether bytes that come in chunks are UTF-8; a character may be cut in two by the end of a chunk. */
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

/** Before the bytes of a character that is cut in two by the end. */
export function endOfCharacters(bytes: Buffer, end = bytes.length): number {
  for (let at = end - 1; at >= 0 && at > end - MAX_CHARACTER_BYTES; at--) {
    const byte = bytes[at] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    return byte >= 0xc0 && end - at < lengthFrom(byte) ? at : end
  }
  return end
}

/** The edits that put U+FFFD in the place of what is no UTF-8, just as a decoder does. Neighbouring ones are one edit. */
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

/** The character at a place, or as many bytes as could have been the beginning of one. */
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

/** Some first bytes leave the second one less room, so that no character is written in two ways. */
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
