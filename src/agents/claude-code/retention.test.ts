import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../../test/support/home.ts'
import { retention } from './retention.ts'

const SETTINGS = '.claude/settings.json'

function retentionWith(settings: string) {
  const home = temporaryHome()
  put(home, SETTINGS, settings)
  return retention(environmentOf(home))
}

test('without settings thirty days count, from the time the file was written', () => {
  const home = temporaryHome()
  expect(retention(environmentOf(home))).toMatchObject({
    days: 30,
    countsFrom: 'file',
    isDefault: true,
    file: join(home, SETTINGS),
  })
  expect(retentionWith('{"model": "x"}')).toMatchObject({ days: 30, isDefault: true })
})

test('the days that the settings say are taken', () => {
  expect(retentionWith('{"cleanupPeriodDays": 365}')).toMatchObject({ days: 365, isDefault: false })
})

test.each(['0', '-1', '1.5', '"90"', 'null'])('%s days make no sense: the default is assumed, and it is said', days => {
  const { failure, ...found } = retentionWith(`{"cleanupPeriodDays": ${days}}`)
  expect(found).toMatchObject({ days: 30, isDefault: true })
  expect(failure).toMatchObject({ agent: 'claude-code', code: 'unsupported', path: found.file })
})

test.each(['{"cleanupPeriodDays": 5', '[]', ''])(
  'settings that are no object (%s) are said, and the default is assumed',
  text => {
    expect(retentionWith(text)).toMatchObject({ days: 30, isDefault: true, failure: { code: 'unsupported' } })
  },
)

test('settings that are a link to a folder of settings are read', () => {
  const home = temporaryHome()
  const target = put(home, 'dotfiles/claude.json', '{"cleanupPeriodDays": 7}')
  put(home, '.claude/x', '')
  symlinkSync(target, join(home, SETTINGS))
  expect(retention(environmentOf(home))).toMatchObject({ days: 7 })
})

test('the variable that moves the folder moves the settings', () => {
  const home = temporaryHome()
  const file = put(home, 'moved/settings.json', '{"cleanupPeriodDays": 9}')
  expect(retention(environmentOf(home, { CLAUDE_CONFIG_DIR: join(home, 'moved') }))).toMatchObject({ days: 9, file })
})
