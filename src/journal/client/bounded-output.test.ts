import { expect, test } from 'vitest'
import { BoundedOutput } from './bounded-output.ts'

function keep(limit: number, ...chunks: (string | Buffer)[]) {
  const kept = new BoundedOutput(limit)
  const stream = kept.openStream()
  for (const chunk of chunks) stream.add(Buffer.from(chunk))
  stream.end()
  return kept.read()
}

test('output within the limit stays whole', () => {
  expect(keep(5, 'ab', 'cde')).toEqual({ output: 'abcde', truncated: false })
  expect(keep(5)).toEqual({ output: '', truncated: false })
})

test('beyond it the beginning goes, in small pieces and in large ones', () => {
  expect(keep(5, 'ab', 'cdef')).toEqual({ output: 'bcdef', truncated: true })
  const [a, b] = ['a'.repeat(10_000), 'b'.repeat(10_000)]
  expect(keep(10_001, a, b)).toEqual({ output: `a${b}`, truncated: true })
  expect(keep(10_000, a, b)).toEqual({ output: b, truncated: true })
  expect(keep(0, 'a')).toEqual({ output: '', truncated: true })
})

test('a character is never split: less is returned instead', () => {
  // Four bytes each.
  const text = '\u{1F9F5}\u{1F9F6}'
  for (const limit of [4, 5, 6, 7]) expect(keep(limit, text)).toEqual({ output: '\u{1F9F6}', truncated: true })
  for (const limit of [1, 2, 3]) expect(keep(limit, text)).toEqual({ output: '', truncated: true })
  expect(keep(8, text)).toEqual({ output: text, truncated: false })
})

test('a character that comes in two chunks is one, also when another stream speaks in between', () => {
  const kept = new BoundedOutput(100)
  const [out, errors] = [kept.openStream(), kept.openStream()]
  const bytes = Buffer.from('\u{1F9F5}')
  out.add(bytes.subarray(0, 2))
  errors.add(Buffer.from('oh!'))
  out.add(bytes.subarray(2))
  errors.add(bytes.subarray(0, 1))
  errors.end()
  expect(kept.read()).toEqual({ output: 'oh!\u{1F9F5}\uFFFD', truncated: false })
})

test('output after a read is still limited', () => {
  const kept = new BoundedOutput(4)
  const stream = kept.openStream()
  stream.add(Buffer.from('abcdef'))
  expect(kept.read().output).toBe('cdef')
  stream.add(Buffer.from('gh'))
  expect(kept.read()).toEqual({ output: 'efgh', truncated: true })
})
