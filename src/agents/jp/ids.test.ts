import { describe, expect, test } from 'vitest'
import { displayId, folderNameOf, idOfTime, parseDisplayId, parseFolderName, timeOfId, titleOfSlug } from './ids.ts'
import { formatTime, isoTime, isTime, parseTime } from './times.ts'

describe('names of folders', () => {
  test.each([
    ['17636257526', { type: 'canonical', id: '17636257526', slug: undefined }],
    ['17636257526-my-chat', { type: 'canonical', id: '17636257526', slug: 'my-chat' }],
    ['7-x', { type: 'canonical', id: '7', slug: 'x' }],
    ['000176-x', { type: 'noncanonical', id: '176', slug: 'x' }],
    ['+176-x', { type: 'noncanonical', id: '176', slug: 'x' }],
    ['92233720368', { type: 'canonical', id: '92233720368', slug: undefined }],
    ['92233720369', { type: 'unparseable' }],
    ['-1-x', { type: 'unparseable' }],
    ['17636257526x', { type: 'unparseable' }],
    ['', { type: 'unparseable' }],
  ])('%s', (name, wanted) => {
    expect(parseFolderName(name)).toEqual(wanted)
  })

  test.each([
    ['IANA Reference Site', '1-iana-reference-site'],
    ['  A title!  ', '1-a-title'],
    ['Größe & Maß', '1-größe---maß'],
    [undefined, '1'],
    ['!!!', '1'],
    ['a'.repeat(70), '1'],
    [
      'Optimizing the listing of conversations in very large workspaces',
      '1-optimizing-the-listing-of-conversations-in-very-large',
    ],
  ])('a conversation called %s lies in %s', (title, wanted) => {
    expect(folderNameOf('1', title)).toBe(wanted)
  })

  test('what is left of a title in a name', () => {
    expect(titleOfSlug('iana-reference-site')).toBe('iana reference site')
    expect(titleOfSlug('--')).toBeUndefined()
    expect(titleOfSlug(undefined)).toBeUndefined()
  })

  test('an id is a time, and is typed with and without its prefix', () => {
    expect(timeOfId('17636257526')).toBe(1763625752600)
    expect(idOfTime(1763625752699)).toBe('17636257526')
    expect(parseDisplayId(displayId('17636257526'))).toBe('17636257526')
    expect(parseDisplayId('jp-c17636257526-ab1cd')).toBe('17636257526')
    expect(parseDisplayId('17636257526')).toBe('17636257526')
    expect(parseDisplayId('my-notes')).toBeUndefined()
  })
})

describe('times', () => {
  test.each([
    ['2026-05-29 19:42:36.46732', '2026-05-29T19:42:36.467Z'],
    ['2026-05-29 19:42:36.0', '2026-05-29T19:42:36.000Z'],
    ['2026-05-29 19:42:36', '2026-05-29T19:42:36.000Z'],
    ['2026-05-29T19:42:36.5Z', '2026-05-29T19:42:36.500Z'],
    ['2026-05-29T21:42:36+02:00', '2026-05-29T19:42:36.000Z'],
    ['2026-5-9 1:02:03.0', '2026-05-09T01:02:03.000Z'],
    ['2026-05-31 19:42:60.5', '2026-05-31T19:42:59.500Z'],
    ['0024-02-28 00:00:00.123456789', '0024-02-28T00:00:00.123Z'],
  ])('%s is read', (text, wanted) => {
    const time = parseTime(text)
    expect(time === undefined ? undefined : new Date(time).toISOString()).toBe(wanted)
    expect(isoTime(text)).toBe(wanted)
    expect(isTime(text)).toBe(true)
  })

  test.each([
    '',
    'yesterday',
    '2026-02-30 10:00:00.0',
    '2026-05-29',
    '2026-05-28 24:00:00',
    '2026-13-01 10:00:00',
    1763625752600,
    null,
  ])('%s is none', value => {
    expect(parseTime(value)).toBeUndefined()
    expect(isoTime(value)).toBeUndefined()
    expect(isTime(value)).toBe(false)
  })

  test('are written as JP writes them', () => {
    expect(formatTime(Date.UTC(2026, 4, 29, 19, 42, 36, 460))).toBe('2026-05-29 19:42:36.46')
    expect(formatTime(Date.UTC(2026, 4, 29, 19, 42, 36))).toBe('2026-05-29 19:42:36.0')
  })
})
