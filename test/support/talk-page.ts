// A conversation with the mock agent on the page, as a person begins one.
import type { Locator, Page } from 'playwright-core'
import type { LookOptions } from './browser.ts'
import { partsOf, until } from './page-parts.ts'

export interface PageTalk extends ReturnType<typeof partsOf> {
  page: Page
  box: Locator
  say(text: string): Promise<void>
  /** The agent has ended its turn. */
  idle(): Promise<void>
}

/** By keyboard alone, unless there is none. */
export async function beginOnPage(page: Page, { isTouched = false }: LookOptions = {}): Promise<PageTalk> {
  const parts = partsOf(page)
  if (isTouched) await parts.button('New conversation').click()
  else {
    await parts.button(/^New conversation/).waitFor()
    await page.keyboard.press('c')
  }
  await page.getByRole('radio', { name: /^Mock agent/, checked: true }).waitFor()
  await page.keyboard.press('Enter')
  // By its name: while a command is chosen it has another role.
  const box = page.getByLabel('Message', { exact: true })
  await until(async () => await focused(page), 'Message')
  return {
    ...parts,
    page,
    box,
    async say(text) {
      await box.fill(text)
      await box.press('Enter')
    },
    idle: async () => await parts.button('Send').waitFor(),
  }
}

export async function focused(page: Page): Promise<unknown> {
  return await page.evaluate('document.activeElement.getAttribute("aria-label")')
}
