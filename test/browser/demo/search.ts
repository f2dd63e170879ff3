// Search in what was said: in the palette, in one conversation, and by an address.
import { expect, test } from 'vitest'
import { type Browse, barriers, testInFull } from '../../support/browser.ts'
import type { DemoStage } from '../../support/demo-stage.ts'
import { partsOf, see, until } from '../../support/page-parts.ts'

export function testSearch(browse: Browse, stage: () => DemoStage): void {
  test('the palette finds what was said and leads to the message, marked', async () => {
    const page = await browse(stage().address)
    const { list, conversation } = partsOf(page)
    await list.getByRole('option').first().waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('MaxListenersExceededWarn role:tool')
    const dialog = page.getByRole('dialog')
    const passage = dialog.getByRole('option').filter({ hasText: 'MaxListenersExceededWarning' })
    await passage.first().waitFor()
    await until(async () => new URL(page.url()).hash.includes('search='), true)
    await page.keyboard.press('Enter')
    await conversation.getByRole('feed', { name: 'Messages' }).waitFor()
    await until(async () => Number(await page.evaluate('CSS.highlights.get("found")?.size ?? 0')) > 0, true)
    // Several conversations have it, and Enter may open one that was found before the role was typed.
    await see(conversation.getByRole('search').getByRole('status'), /^\d of \d$/)
  })

  testInFull('an address with a search opens it again', async () => {
    const page = await browse(`${stage().address}#search=${encodeURIComponent('"translateZ(0)"')}`)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('option').filter({ hasText: 'translateZ(0)' }).first().waitFor()
    expect(await dialog.getByRole('combobox').inputValue()).toBe('"translateZ(0)"')
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('Escape')
    await until(async () => new URL(page.url()).hash, '')
  })

  test('a search in a conversation finds messages that are not loaded, forward and back', async () => {
    const long = stage().find(({ title }) => title === 'The long way to the new checkout')
    const page = await browse(`${stage().address}#session=${long.key}`)
    const { conversation } = partsOf(page)
    await conversation.getByRole('article').last().waitFor()
    await page.keyboard.press('Control+f')
    const box = conversation.getByRole('search')
    await page.keyboard.type('backdrop-filter')
    await see(box.getByRole('status'), /^1 of \d+$/)
    const first = await shownText(page)
    expect(first).toContain('backdrop-filter')
    await page.keyboard.press('Enter')
    await see(box.getByRole('status'), /^2 of \d+$/)
    await page.keyboard.press('Shift+Enter')
    await see(box.getByRole('status'), /^1 of \d+$/)
    await box.getByRole('textbox').fill('xyzzy')
    await see(box.getByRole('status'), 'Not found')
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'hidden' })
  })

  async function shownText(page: Awaited<ReturnType<Browse>>): Promise<string> {
    const text = 'document.querySelector("[role=feed]").innerText'
    await until(async () => String(await page.evaluate(text)).includes('backdrop-filter'), true)
    return String(await page.evaluate(text))
  }
}
