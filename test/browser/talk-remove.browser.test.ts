// A conversation of the journal is taken from the list on the page: asked first, by keyboard too, and what was said stays.
import { expect, test } from 'vitest'
import { BUILT_PAGE, barriers, hasSideways, shareBrowser, testInFull } from '../support/browser.ts'
import { see, until } from '../support/page-parts.ts'
import { shareStage } from '../support/server.ts'
import { beginOnPage } from '../support/talk-page.ts'

const browse = shareBrowser()
const stage = shareStage(() => undefined, { page: BUILT_PAGE })

test('it is asked first, and Esc changes nothing; then it is gone from the list and not from the journal', async () => {
  const { page, say, idle, list, messages, button } = await beginOnPage(await browse(stage().server.address))
  expect(await button('Remove').count()).toBe(0)
  await say('not for long')
  await until(async () => await messages.getByText('not for long').count(), 2)
  await idle()
  await see(list, 'not for long')
  await button('Remove').focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Remove this conversation from the list?' })
  await see(dialog, 'It will be hidden from lists and closed to new messages.')
  await see(dialog, /cannot be added to the list again/)
  await see(dialog, /stay in the journal/)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await see(list, 'not for long')
  await until(async () => await page.evaluate('document.activeElement.innerText'), 'Remove')
  await page.keyboard.press('Enter')
  await button('Remove from the list').focus()
  await page.keyboard.press('Enter')
  await see(page.locator('[data-sonner-toast]'), 'Removed from the list. Its messages stay in the journal.')
  await dialog.waitFor({ state: 'hidden' })
  await until(async () => await list.getByText('not for long').count(), 0)
  expect(new URL(page.url()).hash).toBe('')
  const { store } = await stage().server.services.conversations.open()
  const [newest] = (await store.listSessions({ limit: 1 })).sessions
  expect(newest?.destroyedAt).toBeTypeOf('number')
  expect(await store.count(newest?.id ?? '')).toBeGreaterThan(2)
})

testInFull('one that cannot be removed is open again, and it is said why', async () => {
  const page = await browse(stage().server.address, { expects: /Failed to load resource/ })
  const { say, idle, list, messages, button } = await beginOnPage(page)
  await say('stays here')
  await until(async () => await messages.getByText('stays here').count(), 2)
  await idle()
  await page.route('**/api/conversations/*', async (route, request) => {
    if (request.method() === 'DELETE') await route.abort()
    else await route.continue()
  })
  await button('Remove').click()
  await button('Remove from the list').click()
  await see(page.locator('[data-sonner-toast]'), /rethread does not respond/)
  await until(async () => await messages.getByText('stays here').count(), 2)
  await see(list, 'stays here')
})

test('while the agent answers it cannot be removed', async () => {
  const { say, messages, idle, button } = await beginOnPage(await browse(stage().server.address))
  await say('slow')
  await see(messages, /^word1 word2/)
  expect(await button('Remove').isDisabled()).toBe(true)
  await button(/^Stop/).click()
  await idle()
  await until(async () => await button('Remove').isDisabled(), false)
})

test('on a phone in the dark it leads back to the list, and keeps nobody out', async () => {
  const options = { width: 390, theme: 'dark', isTouched: true } as const
  const page = await browse(stage().server.address, options)
  const { say, messages, idle, button, list } = await beginOnPage(page, options)
  await say('from a phone')
  await until(async () => await messages.getByText('from a phone').count(), 2)
  await idle()
  await button('More').tap()
  await button('Remove').tap()
  expect(await hasSideways(page)).toBe(false)
  expect(await barriers(page)).toEqual([])
  await button('Remove from the list').tap()
  await list.waitFor()
  await until(async () => await list.getByText('from a phone').count(), 0)
})
