import { expect, it } from 'vitest'
import { recordText } from './record-text.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

it('a record is shown as JSON that can be read', () => {
  expect(recordText(bytes('{"uuid":"a","n":[1]}\n'), false)).toEqual({
    text: '{\n  "uuid": "a",\n  "n": [\n    1\n  ]\n}',
    isJson: true,
  })
})

it('one that is torn, or that goes on, is shown as it stands', () => {
  expect(recordText(bytes('{"uuid":"a'), false)).toEqual({ text: '{"uuid":"a', isJson: false })
  expect(recordText(bytes('{"a":1}'), true)).toEqual({ text: '{"a":1}…', isJson: false })
})

it('long values are shortened, so that the others are seen', () => {
  const { text } = recordText(bytes(JSON.stringify({ long: 'x'.repeat(5000), last: 1 })), false)
  expect(text.length).toBeLessThan(600)
  expect(text).toContain('"last": 1')
})
