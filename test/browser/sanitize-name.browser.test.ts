// A conversation in a folder without an id, and those that nobody can repair now: in the page, with the same choices as the command.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { holdFlock } from '../../src/disk/processes/flock.ts'
import { barriers, hasSideways, shareBrowser, testInFull } from '../support/browser.ts'
import { DAMAGED_EVENTS, DAMAGED_FLAGS, shareNamedFolders } from '../support/folder-stage.ts'
import { SILO } from '../support/jp/store.ts'
import { partsOf, see, until } from '../support/page-parts.ts'
import { GOOD_EVENTS } from '../support/sanitize-stage.ts'

const browse = shareBrowser()
const stage = shareNamedFolders({
  notes: { 'metadata.json': undefined },
  all: { ...DAMAGED_EVENTS, ...DAMAGED_FLAGS },
  unwanted: {},
  phone: DAMAGED_EVENTS,
  '17935272100-missing': { 'events.json': undefined },
  '17935272101-locked': { 'metadata.json': undefined },
})
/** What the browser itself says of a key that is gone. */
const GONE = { expects: /Failed to load resource/ }

test('the proposed name is there; a wrong one says why not; the right one leads to the conversation under its new name', async () => {
  const page = await browse(stage().address, GONE)
  const { open, health } = partsOf(page)
  await open(stage().key('notes'))
  const form = health.getByRole('form', { name: 'Name' })
  const field = form.getByRole('textbox', { name: 'New name' })
  const rename = form.getByRole('button', { name: 'Rename and repair' })
  await until(() => field.inputValue(), '17935272000')
  await see(form, 'Proposed: made of the time of its first event.')
  await field.fill('17935272101-notes')
  await see(form, /Another conversation has this id/)
  expect(await rename.isDisabled()).toBe(true)
  expect(await barriers(page)).toEqual([])
  await field.fill('17935272200-notes')
  await see(form, 'This name is available.')
  await field.press('Enter')
  await see(health, 'Repaired conversation notes: renamed its folder to 17935272200-notes')
  await see(health, 'Healthy')
  expect(page.url()).toContain(stage().key('jp-c17935272200'))
  expect(stage().names()).toContain('17935272200-notes')
})

testInFull('with damaged files, all of it is decided together', async () => {
  const page = await browse(stage().address, GONE)
  const { open, health } = partsOf(page)
  await open(stage().key('all'))
  const form = health.getByRole('form', { name: 'Name' })
  expect(await form.getByRole('button', { name: 'Rename and repair' }).count()).toBe(0)
  const fix = health.getByRole('button', { name: 'Apply the suggested fix…' })
  await form.getByRole('textbox').fill('nothing')
  await see(form, /begins with an id/)
  expect(await fix.isDisabled()).toBe(true)
  await form.getByRole('textbox').fill('17935272300-all')
  await see(form, 'This name is available.')
  await health.getByRole('form', { name: 'Flags' }).getByRole('textbox').fill('-m openai/gpt-5')
  await see(health, /"gpt-5"/)
  await fix.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
  await see(health, 'Healthy')
  expect(JSON.parse(stage().read('17935272300-all', 'events.json')).slice(1)).toEqual(JSON.parse(GOOD_EVENTS))
})

test('it is left, or goes to the trash', async () => {
  const page = await browse(stage().address, GONE)
  const { open, health } = partsOf(page)
  await open(stage().key('unwanted'))
  const form = health.getByRole('form', { name: 'Name' })
  await form.getByRole('button', { name: 'Keep as is' }).click()
  await see(health, /Kept as is, as you chose/)
  expect(stage().names()).toContain('unwanted')
  await form.getByRole('button', { name: 'Trash…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Move to the trash' }).click()
  await see(health, /^Trashed corrupt conversation unwanted/)
  expect(stage().names()).not.toContain('unwanted')
})

test('events that are missing: nothing to edit, where a copy has to be put, leave and trash', async () => {
  const page = await browse(stage().address, GONE)
  const { open, health } = partsOf(page)
  await open(stage().key('jp-c17935272100'))
  await see(health, /has no events.json: its messages are gone/)
  await see(health, /If you have a copy/)
  await see(health, /17935272100-missing\/events\.json$/)
  expect(await health.getByText('This conversation no longer exists.').count()).toBe(0)
  expect(await health.getByRole('button', { name: 'Edit…' }).count()).toBe(0)
  expect(await health.getByRole('button', { name: 'Trash…' }).isEnabled()).toBe(true)
})

testInFull('one that its agent has locked says so; when it is free, looking again brings the repair', async () => {
  const locks = join(stage().server.home, SILO, 'locks')
  mkdirSync(locks, { recursive: true })
  const held = holdFlock(join(locks, 'jp-c17935272101.lock'))
  const page = await browse(stage().address)
  const { open, health } = partsOf(page)
  await open(stage().key('jp-c17935272101'))
  await see(health, /has it locked/)
  await see(health, /When that has ended, run:/)
  expect(await health.getByRole('button', { name: 'Repair', exact: true }).count()).toBe(0)
  held.release()
  await health.getByRole('button', { name: 'Try again', exact: true }).click()
  await health.getByRole('button', { name: 'Repair', exact: true }).click()
  await see(health, 'Healthy')
})

test('on a phone nothing goes sideways', async () => {
  const page = await browse(stage().address, { width: 390, height: 844, theme: 'dark', isTouched: true })
  const { open, health } = partsOf(page)
  await open(`${stage().key('phone')}&pane=health`)
  await health.getByRole('form', { name: 'Name' }).waitFor()
  expect(await hasSideways(page)).toBe(false)
  expect(await barriers(page)).toEqual([])
})
