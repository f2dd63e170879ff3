// Conversations that their agents do not list: found, listed again with one button, moved with a plan, and undone.
import { expect, test } from 'vitest'
import type { Browse } from '../../support/browser.ts'
import { barriers, hasSideways, testInFull } from '../../support/browser.ts'
import type { DemoStage } from '../../support/demo-stage.ts'
import { see, until } from '../../support/page-parts.ts'

export function testMissing(browse: Browse, stage: () => DemoStage): void {
  test('a conversation is relinked on the home view with the keyboard alone, and undone', async () => {
    const page = await browse(stage().address)
    const section = page.getByRole('region', { name: 'Missing from its agent' })
    const relink = section.getByRole('button', { name: /^Relink [^a]/ })
    await relink.first().waitFor()
    await see(section, /Claude Code does not list/)
    await section.getByRole('button', { name: /^Show \d+ more$/ }).click()
    const before = await relink.count()
    expect(await barriers(page)).toEqual([])
    await relink.first().focus()
    await page.keyboard.press('Enter')
    await see(section, /lists “.*” again/)
    await until(async () => await relink.count(), before - 1)
    await section.getByRole('button', { name: 'Undo' }).focus()
    await page.keyboard.press('Enter')
    await until(async () => await relink.count(), before)
  })

  testInFull('a moved project is one line in the list with a plan, and is moved and undone there', async () => {
    const page = await browse(stage().address)
    const group = page.locator('details', { hasText: 'Missing from its agent' })
    await group.locator('summary').click()
    const move = group.getByRole('button', { name: /^Move the conversations of ~\/projects\// })
    await see(group, /\d+ conversations(: \d+)? of /)
    await move.click()
    const dialog = page.getByRole('dialog', { name: 'Move the conversations of this folder?' })
    await see(dialog, 'It has the same name.')
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await move.click()
    await dialog.getByRole('button', { name: /^Move \d+ conversations$/ }).click()
    await see(group, /moved to ~\/work\//)
    await until(async () => await move.count(), 0)
    await group.getByRole('button', { name: 'Undo' }).click()
    await until(async () => await move.count(), 1)
  })

  testInFull('on a phone nothing is wider than the screen', async () => {
    const page = await browse(stage().address, { width: 390, height: 800 })
    const section = page.getByRole('region', { name: 'Missing from its agent' })
    const group = page.locator('details', { hasText: 'Missing from its agent' })
    await until(async () => (await section.count()) + (await group.count()) > 0, true)
    expect(await hasSideways(page)).toBe(false)
  })
}
