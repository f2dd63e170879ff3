// From "something is wrong" to repaired and back, and the view of the whole library.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Browse } from '../../support/browser.ts'
import { testInFull } from '../../support/browser.ts'
import type { DemoStage, FoundSession } from '../../support/demo-stage.ts'
import { partsOf, see, until } from '../../support/page-parts.ts'

const UPDATING = '⚠ Partial data (conversation may be updating)'

/** Of some seventy conversations, each kept, written, and read again. */
const REPAIR_ALL_MS = 200_000

export function testRepair(browse: Browse, stage: () => DemoStage): void {
  const tornLog = (): FoundSession =>
    stage().find(({ damage, session }) => damage === 'torn-tail' && session.generation === 'projects')

  test('a damaged conversation is found by its health, read with its banner, repaired, and the repair undone', async () => {
    const torn = tornLog()
    const page = await browse(stage().address)
    const { row, conversation, health } = partsOf(page)
    await page.getByRole('combobox', { name: 'Health' }).selectOption('Damaged')
    await page.getByRole('textbox', { name: 'Filter by text' }).fill(torn.session.title ?? torn.title)
    await row(torn.key).click()
    await see(conversation, UPDATING)
    await see(health, 'Damaged')
    await until(async () => await conversation.getByRole('note').count(), 1)
    await repair(page)
    await see(health, /^Repaired with \d+ change/)
    await see(health, 'Healthy')
    await see(health, /Nothing is wrong/)
    await until(async () => await conversation.getByText('⚠ Partial data').count(), 0)
    await health.getByRole('button', { name: 'Undo' }).first().click()
    await see(health, 'Undone.')
    await see(health, 'Damaged')
    await see(conversation, UPDATING)
  })

  async function repair(page: Page): Promise<void> {
    await partsOf(page).health.getByRole('button', { name: 'Repair' }).click()
    const dialog = page.getByRole('dialog', { name: 'Repair this conversation?' })
    await see(dialog, /every other byte stays as it is/)
    await dialog.getByRole('button', { name: 'Bytes before and after' }).click()
    await dialog.getByRole('figure', { name: 'After' }).first().waitFor()
    await dialog.getByRole('button', { name: /^Repair with/ }).click()
  }

  test('a finding is shown once at its place, with its bytes', async () => {
    const spliced = stage().find(({ damage, session }) => damage === 'spliced-record' && session.agent === 'gemini-cli')
    const page = await browse(stage().address)
    const { open, conversation, health } = partsOf(page)
    await open(spliced.key)
    await see(health, '1 finding')
    await conversation.getByRole('button', { name: 'Go to finding' }).click()
    const marker = conversation.getByRole('note')
    await marker.waitFor()
    expect(await marker.count()).toBe(1)
    await until(async () => await page.evaluate('document.activeElement.getAttribute("role")'), 'note')
    await marker.getByRole('button', { name: 'Show details' }).click()
    await marker.getByRole('button', { name: 'Show bytes' }).click()
    await see(marker, 'The damaged bytes are underlined.')
  })

  testInFull('every figure of the home view leads to the conversations it counts', async () => {
    const page = await browse(stage().address)
    const { list } = partsOf(page)
    await see(page.locator('body'), 'All checked')
    const home = page.getByRole('region', { name: 'Home' })
    for (const section of ['Activity', 'Health']) {
      const figures = home.getByRole('region', { name: section }).getByRole('listitem').getByRole('button')
      await figures.nth(2).waitFor()
      for (const figure of await figures.all()) {
        const [count = ''] = /\d[\d,]*/.exec(await figure.innerText()) ?? []
        await figure.click()
        await see(page.getByRole('search'), `${count} found`)
      }
    }
    await home.getByRole('button', { name: /in all$/ }).click()
    await see(list, 'The long way to the new checkout')
    const soon = home.getByRole('region', { name: /Deleted by their agent/ })
    const shown = await soon.getByRole('listitem').count()
    const more = soon.getByRole('button', { name: /^Show \d+ more$/ })
    const hidden = Number(/\d+/.exec(await more.innerText())?.[0])
    await more.click()
    expect(await soon.getByRole('listitem').count()).toBe(shown + hidden)
  })

  test('a conversation of which nothing can be read says why, and what to do', async () => {
    const emptied = stage().find(({ problem }) => problem === 'emptied')
    const page = await browse(stage().address, { expects: /Failed to load resource/ })
    const { open, conversation } = partsOf(page)
    await open(emptied.key)
    await see(conversation.getByRole('alert'), /is empty: nothing was ever written/)
    await see(conversation.getByRole('alert'), /^ls -la /)
    await page.getByText(/files? or databases? could not be read/).click()
    await see(page.getByRole('navigation', { name: 'Conversations' }), /is damaged: database disk image is malformed/)
  })
}

export function testRepairAll(browse: Browse, stage: () => DemoStage): void {
  test('all that needs it is repaired at once, after a question, and the page says how far it is', {
    timeout: 2 * REPAIR_ALL_MS,
  }, async () => {
    const page = await browse(stage().address)
    const { button } = partsOf(page)
    await button('Repair all').click()
    const dialog = page.getByRole('dialog', { name: /^Repair \d+ conversations\?$/ })
    await see(dialog, /every repair can be undone/)
    await dialog.getByRole('button', { name: /^Repair \d+/ }).click()
    await see(page.getByRole('banner'), /^Repairing \d+ of \d+$/)
    await see(page.getByRole('banner'), /^\d+ repaired/, REPAIR_ALL_MS)
    await see(page.getByRole('region', { name: 'Last repairs' }), /repaired · just now/)
  })
}
