// One pane at a time, on a screen of 390 pixels, with the terminal drawn by the graphics card.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Browse, Theme } from '../../support/browser.ts'
import { barriers, hasSideways } from '../../support/browser.ts'
import type { DemoStage } from '../../support/demo-stage.ts'
import { inFull } from '../../support/full.ts'
import { partsOf, see } from '../../support/page-parts.ts'

export function testPhone(browse: Browse, stage: () => DemoStage): void {
  async function expectFits(page: Page): Promise<void> {
    expect(await hasSideways(page)).toBe(false)
    expect(await barriers(page)).toEqual([])
  }

  test.each(inFull<Theme[]>(['light', 'dark'], ['light']))(
    'from the list to the terminal and back, and home (%s)',
    async theme => {
      const page = await browse(stage().address, { width: 390, height: 844, theme, isTouched: true })
      const { list, conversation, health, terminals, button } = partsOf(page)
      await list.getByRole('option').first().waitFor()
      await see(page.getByRole('banner'), /need repair/)
      await expectFits(page)
      await page.getByRole('combobox', { name: 'Agent' }).selectOption('Claude Code')
      await page.getByRole('combobox', { name: 'Health' }).selectOption('Damaged')
      await list
        .getByRole('option')
        .nth(theme === 'light' ? 0 : 1)
        .click()
      await conversation.getByRole('feed').waitFor()
      await expectFits(page)
      await button('Health').click()
      await see(health, /finding/)
      await expectFits(page)
      await button('Conversation').click()
      await button('Resume').click()
      await see(terminals, /^Repaired: /)
      await button('Control C').waitFor()
      await expectFits(page)
      await button('Control C').click()
      await see(terminals, /^The program (was )?ended/)
      await button('Back').click()
      await conversation.getByRole('feed').waitFor()
      await button('Back to the list').click()
      await list.waitFor()
      await button('rethread').click()
      await see(page.getByRole('region', { name: 'Home' }), 'Largest')
      await expectFits(page)
      await button('Back').click()
      await list.waitFor()
    },
  )
}
