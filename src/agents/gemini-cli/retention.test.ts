import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../../test/support/home.ts'
import { retention } from './retention.ts'

function retentionWith(sessionRetention: object) {
  const home = temporaryHome()
  put(home, '.gemini/settings.json', JSON.stringify({ general: { sessionRetention } }))
  return retention(environmentOf(home))
}

test('without settings thirty days count, from the time that the session itself says', () => {
  const home = temporaryHome()
  const file = join(home, '.gemini/settings.json')
  expect(retention(environmentOf(home))).toMatchObject({ days: 30, countsFrom: 'conversation', isDefault: true, file })
})

test.each([
  ['90d', 90],
  ['48h', 2],
  ['2w', 14],
  ['1m', 30],
])('an age of %s is %d days', (maxAge, days) => {
  expect(retentionWith({ maxAge })).toMatchObject({ days, isDefault: false })
})

test('a clean-up that is off deletes nothing', () => {
  expect(retentionWith({ enabled: false })).toBeUndefined()
})

test.each([
  { maxAge: 'soon' },
  { maxAge: '0d' },
  { maxAge: '12h' },
  { maxAge: '2d', minRetention: '1w' },
  { maxCount: 0 },
  { maxAge: '', maxCount: 50 },
])('a clean-up with the settings %j deletes nothing by age', settings => {
  expect(retentionWith(settings)).toBeUndefined()
})

test('comments in the settings are ignored, and a comment-like string is not', () => {
  const home = temporaryHome()
  put(
    home,
    '.gemini/settings.json',
    '// mine\n{ "ui": { "url": "http://x/*y*/" }, /* long */ "general": { "sessionRetention": { "maxAge": "9d" } } }',
  )
  expect(retention(environmentOf(home))).toMatchObject({ days: 9 })
})

test('settings that do not parse are said, and the default is assumed', () => {
  const home = temporaryHome()
  const file = put(home, '.gemini/settings.json', '{ "general": {')
  const failure = { agent: 'gemini-cli', code: 'unsupported', path: file }
  expect(retention(environmentOf(home))).toMatchObject({ days: 30, isDefault: true, failure })
})

test('the variable that moves the folder moves the settings', () => {
  const home = temporaryHome()
  put(home, 'moved/.gemini/settings.json', '{"general":{"sessionRetention":{"maxAge":"5d"}}}')
  expect(retention(environmentOf(home, { GEMINI_CLI_HOME: join(home, 'moved') }))).toMatchObject({ days: 5 })
})
