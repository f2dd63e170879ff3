import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeRaw, escapeRawBytes, escapeRawIn } from './clean.ts'
import { JsonWriter } from './json-writer.ts'
import type { Output } from './output.ts'

/** Undefined without enough room, which leaves the bytes as they are. */
function escapedInPlace(text: string, spare = 0): string | undefined {
  const bytes = Buffer.from(text)
  const room = Buffer.from(escapeRaw(text)).length
  const tooSmall = Buffer.concat([bytes], Math.max(bytes.length, room - 1))
  expect(escapeRawIn(tooSmall, bytes.length) === undefined).toBe(room > bytes.length)
  expect(tooSmall.subarray(0, bytes.length).equals(bytes)).toBe(true)
  const buffer = Buffer.concat([bytes], room + spare)
  const length = escapeRawIn(buffer, bytes.length)
  return length === undefined ? undefined : buffer.toString('utf8', 0, length)
}

/** Changes the bytes after they are written, as the owner of the memory may. */
function makeOutput() {
  let written = ''
  const output: Pick<Output, 'writeBytes'> = {
    async writeBytes(bytes) {
      written += bytes.toString()
      await Promise.resolve()
      bytes.fill('!')
    },
  }
  return { output: output as Output, written: () => written }
}

test('texts and bytes of any length come out in their order, with their separators', async () => {
  const { output, written } = makeOutput()
  const writer = new JsonWriter(output)
  const pieces = ['"a"', `"${'é'.repeat(400_000)}"`, '"b"', `"${'x'.repeat(3_000_000)}"`, '"\u2028"', '"c"']
  for (const [index, piece] of pieces.entries())
    await writer.add(index % 2 === 0 ? piece : Buffer.from(piece), index === 0 ? '' : ',')
  await writer.flush()
  expect(written()).toBe(escapeRaw(pieces.join(',')))
})

test('every character that JSON leaves raw and that is not safe to print is escaped in bytes as in text', () => {
  const all = Array.from({ length: 0x3100 }, (_, code) => String.fromCharCode(code)).join('')
  const padding = 'x'.repeat(1024 * 1024)
  for (const text of [all, padding + all, padding]) {
    expect(escapeRawBytes(Buffer.from(text)).equals(Buffer.from(escapeRaw(text)))).toBe(true)
    expect(escapedInPlace(text, 3) === escapeRaw(text)).toBe(true)
  }
})

test('bytes without such a character are not copied', () => {
  const bytes = Buffer.from(JSON.stringify('“quoted” — é ü 漢 😀'.padEnd(2000)))
  expect(escapeRawBytes(bytes)).toBe(bytes)
})

test('random text is the same in both forms', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', '\u007f', '\u0085', '\u00a0', '\u061c', '\u200e', '“', '\u2066', '漢')),
      parts => {
        const text = parts.join('x'.repeat(100))
        expect(escapeRawBytes(Buffer.from(text)).toString()).toBe(escapeRaw(text))
        expect(escapedInPlace(text)).toBe(escapeRaw(text))
      },
    ),
  )
})
