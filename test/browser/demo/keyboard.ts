// The whole way without the mouse, and with what others use in place of eyes.
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Browse, Theme } from '../../support/browser.ts'
import { barriers } from '../../support/browser.ts'
import type { DemoStage } from '../../support/demo-stage.ts'
import { inFull } from '../../support/full.ts'
import { partsOf, see, until } from '../../support/page-parts.ts'

export function testKeyboard(browse: Browse, stage: () => DemoStage): void {
  test('from the first look to repaired and resumed', async () => {
    const broken = stage().find(({ damage, session }) => damage === 'broken-parent' && session.agent === 'claude-code')
    const page = await browse(stage().address)
    const { list, conversation, health, terminals } = partsOf(page)
    const { keyboard } = page
    await list.getByRole('option').first().waitFor()
    await keyboard.press('/')
    await keyboard.type(broken.session.sessionId)
    await until(async () => await list.getByRole('option').count(), 1)
    await keyboard.press('Enter')
    await see(health, 'Damaged')
    await see(conversation, /^Next finding/)
    await keyboard.press('n')
    await until(async () => await page.evaluate('document.activeElement.getAttribute("role")'), 'note')
    await keyboard.press('x')
    const dialog = page.getByRole('dialog', { name: 'Repair this conversation?' })
    const go = dialog.getByRole('button', { name: /^Repair with/ })
    await go.waitFor()
    await tabTo(page, /^Repair with/)
    await keyboard.press('Enter')
    await see(health, 'Healthy')
    await keyboard.press('u')
    await see(health, 'Damaged')
    await keyboard.press('r')
    await see(terminals, /is a stand-in of the rethread demo/)
    await keyboard.type('hello\n')
    await see(terminals, /would now think about: hello/)
    await keyboard.press('F6')
    await keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard' })
    await see(help, 'Search and actions')
    await keyboard.press('Escape')
    await help.waitFor({ state: 'hidden' })
    await keyboard.press('Escape')
    await page.getByRole('region', { name: 'Home' }).waitFor()
  })

  /** Every stop on the way can be seen. */
  async function tabTo(page: Page, name: RegExp): Promise<void> {
    for (let stops = 0; stops < 20; stops++) {
      const words = String(await page.evaluate('document.activeElement.innerText'))
      if (stops > 0)
        expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), words).not.toBe('none')
      if (name.test(words)) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`Tab leads nowhere near ${name}.`)
  }

  test('the palette finds a conversation and an action', async () => {
    const page = await browse(stage().address)
    const { list, conversation } = partsOf(page)
    await list.getByRole('option').first().waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('new checkout')
    const found = page
      .getByRole('dialog')
      .getByRole('option', { name: 'The long way to the new checkout', selected: true })
    await found.waitFor()
    await page.keyboard.press('Enter')
    await see(conversation, 'The long way to the new checkout')
  })

  // The phone is tried in the other one.
  describe.each(inFull<Theme[]>(['light', 'dark'], ['dark']))('nothing keeps anybody out, %s', theme => {
    test('home, conversation, health, terminal, and the dialogs', async () => {
      const damaged = stage().find(({ damage, session }) => damage === 'torn-tail' && session.agent === 'codex')
      const page = await browse(stage().address, { theme })
      const { list, open, health, terminals, button } = partsOf(page)
      await list.getByRole('option').first().waitFor()
      await see(page.getByRole('region', { name: 'Home' }), 'Deleted by their agent within 7 days')
      expect(await barriers(page)).toEqual([])
      await open(damaged.key)
      await see(health, /finding/)
      await button('Show details').first().click()
      await button('Show bytes').first().click()
      expect(await barriers(page)).toEqual([])
      await button(/^Plan/).click()
      await page.getByRole('dialog').getByRole('figure', { name: 'After' }).first().waitFor()
      expect(await barriers(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.keyboard.press('?')
      expect(await barriers(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+k')
      expect(await barriers(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.keyboard.press('t')
      await see(terminals, /[$#]/)
      expect(await barriers(page)).toEqual([])
    })
  })
}
