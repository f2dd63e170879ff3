// Commands of an agent on the page, with the mock agent: shown at a slash, chosen by keyboard, mouse or finger, and sent like anything else.
import { expect, test } from 'vitest'
import type { LookOptions } from '../support/browser.ts'
import { BUILT_PAGE, barriers, hasSideways, shareBrowser, testInFull } from '../support/browser.ts'
import { inFull } from '../support/full.ts'
import { see, until } from '../support/page-parts.ts'
import { shareStage } from '../support/server.ts'
import { beginOnPage, focused, type PageTalk } from '../support/talk-page.ts'

const browse = shareBrowser()
const stage = shareStage(() => undefined, { page: BUILT_PAGE })

const begin = async (options: LookOptions = {}): Promise<PageTalk> =>
  await beginOnPage(await browse(stage().server.address, options), options)

/** The mock agent has announced five, or as many as are asked for. */
async function beginWithCommands(options: LookOptions = {}, count = 5) {
  const talk = await begin(options)
  await talk.say(`commands ${count}`)
  await see(talk.messages, `commands=${count}`)
  await talk.idle()
  const commands = talk.page.getByRole('listbox', { name: 'Commands of Mock agent' })
  const names = async () => (await commands.getByRole('option').allInnerTexts()).map(text => text.split(/\s/)[0])
  const active = async () => (await commands.getByRole('option', { selected: true }).innerText()).split(/\s/)[0]
  return { ...talk, commands, names, active }
}

const ALL = ['/review', '/release-notes', '/explain', '/compact', '/team:deploy-review']

test('a slash shows what the agent has announced, and what is typed narrows it down', async () => {
  const { page, box, commands, names, conversation } = await beginWithCommands()
  await box.press('/')
  await until(names, ALL)
  await see(conversation.getByRole('status'), /^5 commands/)
  await page.keyboard.type('RE')
  await until(names, ['/review', '/release-notes', '/team:deploy-review'])
  await page.keyboard.type('x')
  await commands.waitFor({ state: 'hidden' })
  await box.fill('words and a /')
  expect(await commands.count()).toBe(0)
  await box.fill('/review it')
  expect(await commands.count()).toBe(0)
})

test('one is chosen by keyboard and sent by the next Enter', async () => {
  const { page, box, commands, active, messages, idle } = await beginWithCommands()
  await box.press('/')
  await until(active, '/review')
  await box.press('ArrowUp')
  await until(active, '/team:deploy-review')
  await box.press('ArrowDown')
  await box.press('ArrowDown')
  await until(active, '/release-notes')
  expect(await page.evaluate('document.activeElement.role')).toBe('combobox')
  const named = 'document.getElementById(document.activeElement.getAttribute("aria-activedescendant")).innerText'
  expect(await page.evaluate(named)).toMatch(/^\/release-notes/)
  await box.press('Enter')
  expect(await box.inputValue()).toBe('/release-notes ')
  await commands.waitFor({ state: 'hidden' })
  await page.keyboard.type('since May')
  await box.press('Enter')
  await until(async () => await messages.getByText('/release-notes since May').count(), 2)
  await idle()
})

testInFull('Tab takes one too, Shift+Tab leaves, and one that is typed out is sent at once', async () => {
  const { page, box, commands, messages, idle } = await beginWithCommands()
  await page.keyboard.type('/ex')
  await commands.waitFor()
  await box.press('Tab')
  expect(await box.inputValue()).toBe('/explain ')
  expect(await focused(page)).toBe('Message')
  await box.fill('/comp')
  await commands.waitFor()
  await box.press('Shift+Tab')
  expect(await focused(page)).not.toBe('Message')
  await commands.waitFor({ state: 'hidden' })
  await box.fill('/compact')
  await commands.waitFor()
  await box.press('Enter')
  await until(async () => await messages.getByText('/compact').count(), 2)
  await idle()
})

test('Esc closes the list and nothing else, until a slash is typed again', async () => {
  const { page, box, commands } = await beginWithCommands()
  await box.press('/')
  await commands.waitFor()
  await box.press('Escape')
  await commands.waitFor({ state: 'hidden' })
  expect(await focused(page)).toBe('Message')
  await page.keyboard.type('rev')
  expect(await box.inputValue()).toBe('/rev')
  expect(await commands.count()).toBe(0)
  await box.fill('')
  await box.press('/')
  await commands.waitFor()
  await box.press('Escape')
  await box.press('Escape')
  expect(await page.evaluate('document.activeElement === document.body')).toBe(true)
})

testInFull(
  'without commands there is no list; what the agent tells next is there at once, and again after the page is loaded',
  async () => {
    const { page, box, say, messages, idle } = await begin()
    const commands = page.getByRole('listbox', { name: 'Commands of Mock agent' })
    await box.press('/')
    expect(await commands.count()).toBe(0)
    await say('commands 300')
    await see(messages, 'commands=300')
    await box.press('/')
    // No more than the server tells.
    await until(async () => await commands.getByRole('option').count(), 200)
    await idle()
    await page.reload()
    await box.fill('/')
    await until(async () => await commands.getByRole('option').count(), 200)
    await box.press('ArrowUp')
    await until(async () => await commands.getByRole('option', { selected: true }).isVisible(), true)
    await say('commands 0')
    await see(messages, 'commands=0')
    await box.fill('/')
    await commands.waitFor({ state: 'hidden' })
  },
)

const WIDE = { width: 1440, theme: 'dark' } as const
const PHONE = { width: 390, theme: 'light', isTouched: true } as const

test.each(inFull([WIDE, PHONE], [WIDE]))(
  'nothing keeps anybody out, and a click takes one: $width pixels, $theme',
  async options => {
    const { page, box, commands } = await beginWithCommands(options)
    await box.focus()
    await box.press('/')
    await commands.waitFor()
    expect(await hasSideways(page)).toBe(false)
    expect(await barriers(page)).toEqual([])
    const explain = commands.getByRole('option', { name: '/explain' })
    await ('isTouched' in options ? explain.tap() : explain.click())
    expect(await box.inputValue()).toBe('/explain ')
    expect(await focused(page)).toBe('Message')
  },
)
