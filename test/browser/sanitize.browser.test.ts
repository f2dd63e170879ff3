// A conversation that is a folder of files, damaged so that a person must decide: in the page, with the same choices as the command.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { barriers, hasSideways, shareBrowser, testInFull } from '../support/browser.ts'
import { DAMAGED_EVENTS, DAMAGED_FLAGS, shareFolders } from '../support/folder-stage.ts'
import { partsOf, see, until } from '../support/page-parts.ts'
import { BAD_EVENTS, GOOD_EVENTS } from '../support/sanitize-stage.ts'

const browse = shareBrowser()
const stage = shareFolders([DAMAGED_EVENTS, DAMAGED_EVENTS, DAMAGED_EVENTS, DAMAGED_FLAGS, DAMAGED_EVENTS])
const LAST_LINE = BAD_EVENTS.split('\n').length

const editorOf = (page: Page) => page.getByRole('dialog', { name: 'Edit events.json' })

test('events are edited until they can be loaded: wrong, still wrong, right, healthy; and back', async () => {
  const page = await browse(stage().address)
  const { open, health } = partsOf(page)
  await open(stage().key(0))
  await see(health, /trailing comma/)
  expect(await health.getByRole('button', { name: 'Repair', exact: true }).count()).toBe(0)
  await health.getByRole('button', { name: 'Edit…' }).click()
  const editor = editorOf(page)
  const text = editor.getByRole('textbox')
  const save = editor.getByRole('button', { name: 'Save' })
  await until(() => editor.locator('[data-wrong-line]').getAttribute('data-wrong-line'), String(LAST_LINE))
  expect(await save.isDisabled()).toBe(true)
  expect(await barriers(page)).toEqual([])

  await text.fill(`[\n  oops\n]`)
  await until(() => editor.locator('[data-wrong-line]').getAttribute('data-wrong-line'), '2')
  expect(await save.isDisabled()).toBe(true)
  await text.fill(GOOD_EVENTS)
  await see(editor, 'This can be loaded.')
  await save.click()
  await see(health, /^Repaired conversation/)
  await see(health, 'Healthy')
  expect(stage().events(0)).toBe(GOOD_EVENTS)

  await health.getByRole('button', { name: 'Undo', exact: true }).first().click()
  await see(health, 'Damaged')
  expect(stage().events(0)).toBe(BAD_EVENTS)
})

test('Esc asks before what was typed is lost', async () => {
  const page = await browse(stage().address)
  const { open, health } = partsOf(page)
  await open(stage().key(1))
  await health.getByRole('button', { name: 'Edit…' }).click()
  const editor = editorOf(page)
  await page.keyboard.type('x')
  await page.keyboard.press('Escape')
  await see(editor, 'Your changes would be lost.')
  await page.keyboard.press('Escape')
  await until(() => editor.getByText('Your changes would be lost.').count(), 0)
  expect(await editor.isVisible()).toBe(true)
  await editor.getByRole('textbox').press('Escape')
  await editor.getByRole('button', { name: 'Discard' }).click()
  await until(() => editor.count(), 0)
  expect(stage().events(1)).toBe(BAD_EVENTS)
})

test('the suggested fix shows its bytes first; the trash asks once, and then the conversation is gone', async () => {
  const page = await browse(stage().address, { expects: /Failed to load resource/ })
  const { open, health, list } = partsOf(page)
  await open(stage().key(1))
  await health.getByRole('button', { name: 'Apply the suggested fix…' }).click()
  const fix = page.getByRole('dialog', { name: 'Apply this fix?' })
  await see(fix, /1 byte removed/)
  await fix.getByRole('button', { name: 'Apply' }).click()
  await see(health, 'Healthy')

  await open(stage().key(2))
  await see(health, 'Damaged')
  await health.getByRole('button', { name: 'Trash…' }).click()
  const trash = page.getByRole('dialog', { name: 'Move this conversation to the trash?' })
  await trash.getByRole('button', { name: 'Cancel' }).click()
  expect(stage().events(2)).toBe(BAD_EVENTS)
  const key = stage().key(2)
  await health.getByRole('button', { name: 'Trash…' }).click()
  await trash.getByRole('button', { name: 'Move to the trash' }).click()
  await see(health, /^Trashed corrupt conversation/)
  await see(health, 'This conversation no longer exists.')
  await until(() => list.locator(`[role=option][id$="${key}"]`).count(), 0)
})

testInFull('flags are explained while they are typed', async () => {
  const page = await browse(stage().address)
  const { open, health } = partsOf(page)
  await open(stage().key(3))
  const flags = health.getByRole('form', { name: 'Flags' })
  await flags.getByRole('button', { name: 'Repair without flags' }).waitFor()
  await flags.getByRole('textbox').fill('--no-such-flag')
  await see(flags, /^These flags cannot be used/)
  await flags.getByRole('textbox').fill('-m openai/gpt-5')
  await see(flags, /"gpt-5"/)
  await flags.getByRole('textbox').press('Enter')
  await see(health, 'Healthy')
})

test('on a phone nothing goes sideways, in the panel and in the editor', async () => {
  const page = await browse(`${stage().address}`, { width: 390, height: 844, theme: 'dark', isTouched: true })
  const { open, health } = partsOf(page)
  await open(stage().key(4))
  await page
    .getByRole('button', { name: /^Health/ })
    .or(page.getByRole('tab', { name: /^Health/ }))
    .first()
    .click()
  await health.getByRole('button', { name: 'Edit…' }).click()
  await editorOf(page).getByRole('textbox').waitFor()
  expect(await hasSideways(page)).toBe(false)
  expect(await barriers(page)).toEqual([])
})
