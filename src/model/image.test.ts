import { expect, test } from 'vitest'
import { imageIn, imageSizeOf, MAX_IMAGE_BYTES } from './image.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const JPEG = Buffer.from('ffd8ffe000104a464946000101000001', 'hex')
const GIF = Buffer.from('GIF89a\u0001\u0000\u0001\u0000', 'latin1')
const WEBP = Buffer.from('RIFF\u0010\u0000\u0000\u0000WEBPVP8 ', 'latin1')
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')

test.each([
  ['image/png', PNG],
  ['image/jpeg', JPEG],
  ['image/gif', GIF],
  ['image/webp', WEBP],
])('%s is known by its first bytes, however it is stored', (mime, bytes) => {
  const data = bytes.toString('base64')
  expect(imageIn(data)).toEqual({ mime, data })
  expect(imageIn(`data:image/svg+xml;base64,${data}`)).toEqual({ mime, data })
  expect(imageIn([...bytes])).toEqual({ mime, data })
  expect(imageSizeOf(data)).toBe(bytes.length)
})

test.each([
  ['a drawing that can hold a script', SVG.toString('base64')],
  ['the same under a false name', `data:image/png;base64,${SVG.toString('base64')}`],
  ['a page', Buffer.from('<html>').toString('base64')],
  ['an address', 'https://example.invalid/a.png'],
  ['what is no base64', `${PNG.toString('base64')}"><script>`],
  ['numbers that are no bytes', [137, 80, 78, 71, 999]],
  ['nothing', ''],
  ['no text at all', { data: PNG.toString('base64') }],
])('%s is no picture', (_, value) => {
  expect(imageIn(value)).toBeUndefined()
})

test('one that is too large is left where it is', () => {
  const large = Buffer.concat([PNG, Buffer.alloc(MAX_IMAGE_BYTES)])
  expect(imageIn(large.toString('base64'))).toBeUndefined()
})
