// Conversations that are held on the page, with the mock agent: begun, streamed, asked, stopped, broken off, brought back, forked.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { LookOptions } from '../support/browser.ts'
import { BUILT_PAGE, barriers, hasSideways, shareBrowser, testInFull } from '../support/browser.ts'
import { inFull } from '../support/full.ts'
import { put } from '../support/home.ts'
import { mockAgentCommand } from '../support/package.ts'
import { partsOf, see, until } from '../support/page-parts.ts'
import { shareStage } from '../support/server.ts'
import { beginOnPage, focused, type PageTalk } from '../support/talk-page.ts'
import { holdElsewhere, killAgents } from '../support/talking.ts'

const browse = shareBrowser()
/** The mock agent, which does not answer once when a test has removed this file. */
const ANSWERS = 'answers'
const stage = shareStage(
  home => {
    const { command, args } = mockAgentCommand()
    const fault = ['--fault', 'silent-initialize', '--fault-once', put(home, ANSWERS, '')]
    const agents = { mock: { command, args: [...args, ...fault] } }
    put(home, '.config/rethread/config.json', JSON.stringify({ agents }))
  },
  { page: BUILT_PAGE },
)

const begin = async (options: LookOptions = {}): Promise<PageTalk> =>
  await beginOnPage(await browse(stage().server.address, options), options)
const top = async (page: Page) => Number(await page.evaluate('document.querySelector("[role=feed]").scrollTop'))
const fromEnd = async (page: Page) =>
  Number(
    await page.evaluate(
      '(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector("[role=feed]"))',
    ),
  )

test('a conversation is begun, answered, listed, and there after the page is loaded again', async () => {
  const { page, box, say, idle, messages, list, conversation } = await begin()
  await see(conversation, 'New conversation with Mock agent')
  await page.keyboard.type('Hello there')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('second line')
  await page.keyboard.press('Enter')
  await see(messages, 'Mock agent')
  await idle()
  // One that was said, and one that came back.
  await until(async () => await messages.getByText(/^Hello there\s+second line$/).count(), 2)
  // It has become a session of the library meanwhile: the keyboard was not taken away.
  await see(list, /^Hello there/)
  expect(await focused(page)).toBe('Message')
  await page.reload()
  await until(async () => await messages.getByText(/^Hello there\s+second line$/).count(), 2)
  await say('markdown')
  await messages.getByRole('cell', { name: '22' }).waitFor()
  await box.press('Escape')
  expect(await page.evaluate('document.activeElement === document.body')).toBe(true)
  await page.keyboard.press('?')
  await see(page.getByRole('dialog', { name: 'Keyboard' }), 'Write a message')
  await see(page.getByRole('dialog', { name: 'Keyboard' }), 'New conversation')
})

/** The wheel scrolls for some frames more, and a busy browser draws few. */
async function restingTop(page: Page): Promise<number> {
  const resting = await page.evaluate(`new Promise(resolve => {
    const feed = document.querySelector('[role=feed]')
    let last = NaN
    let still = 0
    const frame = () => {
      still = feed.scrollTop === last ? still + 1 : 0
      last = feed.scrollTop
      if (still === 20) resolve(last)
      else requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  })`)
  return Number(resting)
}

test('what streams keeps to the end, unless the reader went up', async () => {
  const { page, say, messages, button, idle } = await begin({ height: 600 })
  await say('stream 400')
  await see(messages, /word400$/)
  await idle()
  await say('slow')
  await see(messages, /^word1 word2/)
  await until(async () => (await fromEnd(page)) < 4, true)
  await messages.hover()
  // A word that comes in the same moment may win once.
  let before = 0
  await until(async () => {
    await page.mouse.wheel(0, -60)
    before = await restingTop(page)
    return (await fromEnd(page)) > 30
  }, true)
  await see(messages, /word40 /)
  // A turn of the wheel that arrives late moves further up, and never to the end.
  expect(await top(page)).toBeLessThanOrEqual(before)
  expect(await fromEnd(page)).toBeGreaterThan(30)
  await button(/^Stop/).click()
  await idle()
  await see(messages, 'The agent stopped: cancelled.')
})

test('a permission takes no Enter by accident, and is given by keyboard', async () => {
  const { page, say, messages, idle } = await begin()
  await say('permission, please')
  const card = page.getByRole('group', { name: 'Mock agent asks for permission' })
  await see(card, 'echo permission')
  await until(async () => await page.evaluate('document.activeElement.tagName'), 'FIELDSET')
  await page.keyboard.press('Enter')
  expect(await card.count()).toBe(1)
  for (let stops = 0; stops < 3; stops++) {
    await page.keyboard.press('Tab')
    if (String(await page.evaluate('document.activeElement.innerText')).startsWith('Allow once')) break
  }
  await page.keyboard.press('Enter')
  await card.waitFor({ state: 'hidden' })
  await idle()
  await messages.getByText('done').waitFor({ state: 'attached' })
})

test('the choices of a permission are ranked, say what the lasting one covers, and have keys', async () => {
  const { page, say, messages, idle } = await begin()
  await say('permission, please')
  const card = page.getByRole('group', { name: 'Mock agent asks for permission' })
  await card.waitFor()
  const names = await card.getByRole('button').allInnerTexts()
  expect(names.map(name => name.replace(/\s*\d$/, ''))).toEqual(['Allow once', 'Reject', 'Always allow'])
  await see(card, /covers later requests of this kind too: Mock agent remembers it/)
  // Pressed twice, because the card is shown until the server has taken the answer.
  await until(async () => {
    await page.keyboard.press('1')
    await page.keyboard.press('1')
    return await card.count()
  }, 0)
  await idle()
  await messages.getByText('done').waitFor({ state: 'attached' })
})

test('a question is a form', async () => {
  const { page, say, idle, button } = await begin()
  await say('question')
  const card = page.getByRole('group', { name: 'Mock agent asks', exact: true })
  await see(card, 'Choose one option')
  expect(await button('Answer').isDisabled()).toBe(true)
  await card.getByRole('radio', { name: 'No' }).check()
  await button('Answer').click()
  await card.waitFor({ state: 'hidden' })
  await idle()
})

test('an agent that is killed leaves its answer marked; the next message brings it back and says what that may have cost', async () => {
  const { say, messages, conversation, idle, button } = await begin()
  await say('slow')
  await see(messages, /^word1 word2/)
  await killAgents(stage().server)
  await see(messages, 'The answer was cut off here.')
  await see(conversation.getByRole('alert'), /ended by signal SIGKILL/)
  await button('Send again').waitFor()
  await say('history')
  await see(messages, 'history=1 replays=1')
  await idle()
  await see(conversation, /^Restored by replay:/)
  await see(conversation, /^What may be missing:/)
  expect(await button('Send again').count()).toBe(0)
})

test('a copy is made up to an answer, and goes its own way', async () => {
  const { page, say, messages, list, idle, button } = await begin()
  await say('the first thing')
  await until(async () => await messages.getByText('the first thing').count(), 2)
  await idle()
  await say('the second thing')
  await until(async () => await messages.getByText('the second thing').count(), 2)
  await idle()
  await button('Message 2').click()
  await button(/^Fork after this answer/).click()
  await until(async () => await messages.getByText('the second thing').count(), 0)
  await until(async () => await messages.getByText('the first thing').count(), 2)
  await say('another way')
  await until(async () => await messages.getByText('another way').count(), 2)
  await until(async () => await list.getByText('Fork of the first thing: another way').count(), 1)
  await until(async () => await list.getByText('the first thing', { exact: true }).count(), 1)
  expect(await page.getByText('the second thing').count()).toBe(0)
})

test('after a fork one can send at once, and the copy leads back to where it came from', async () => {
  const { page, say, messages, conversation, idle, button } = await begin()
  await say('shoes')
  await until(async () => await messages.getByText('shoes').count(), 2)
  await idle()
  const first = page.url()
  await button('Fork').click()
  await until(async () => page.url() === first, false)
  await conversation.getByRole('heading', { name: 'Fork of shoes' }).waitFor()
  await button('Send').waitFor()
  const over = await page.evaluate(`(() => {
    const { x, y, width, height } = [...document.querySelectorAll('button')].find(({ innerText }) => innerText === 'Send').getBoundingClientRect()
    return document.elementFromPoint(x + width / 2, y + height / 2)?.closest('button')?.innerText ?? 'something else'
  })()`)
  expect(over).toBe('Send')
  await until(async () => await page.title(), 'Fork of shoes · rethread')
  await conversation.getByRole('link', { name: 'Forked from shoes' }).click()
  await until(async () => page.url(), first)
})

test('a folder that is not there is said to be so, and what means harm is text', async () => {
  const page = await browse(stage().server.address, { expects: /Failed to load resource/ })
  const { button, messages } = partsOf(page)
  await button(/^New conversation/).click()
  const folder = page.getByRole('textbox', { name: 'Folder' })
  await folder.fill('project')
  await see(page.getByRole('dialog'), /Enter an absolute path/)
  await folder.fill('~/not-there')
  await button('Start').click()
  await see(page.getByRole('alert'), /does not exist/)
  await folder.fill('~')
  await button('Start').click()
  const box = page.getByRole('textbox', { name: 'Message' })
  await box.fill('<svg onload="globalThis.harmed = 1"></svg> [x](javascript:globalThis.harmed=1) \u202etxt.exe')
  await box.press('Enter')
  await until(async () => await messages.getByText(/txt\.exe/).count(), 2)
  const found = await page.evaluate(`({
    harmed: typeof globalThis.harmed,
    made: document.querySelectorAll('[role=feed] :is([onload], [href^=javascript])').length,
    turned: /\\u202e/.test(document.body.innerText),
  })`)
  expect(found).toEqual({ harmed: 'undefined', made: 0, turned: false })
})

const WIDE = { width: 1440, theme: 'light' } as const
const PHONE = { width: 390, theme: 'dark', isTouched: true } as const

test.each(inFull([WIDE, PHONE], [WIDE]))('nothing keeps anybody out: $width pixels, $theme', async options => {
  const { page, say, idle, button } = await begin(options)
  const fits = async () => {
    expect(await hasSideways(page)).toBe(false)
    expect(await barriers(page)).toEqual([])
  }
  await fits()
  await say('permission')
  await button('Reject').waitFor()
  await fits()
  await button('Reject').click()
  await idle()
  await say('error')
  await button('Send again').waitFor()
  await fits()
})

testInFull('while another rethread has it, nothing can be said, and the page says why', async () => {
  const { page, say, idle, box, conversation, messages } = await begin()
  await say('hello')
  await until(async () => await messages.getByText('hello').count(), 2)
  await idle()
  const free = await holdElsewhere(stage().server)
  await page.reload()
  await see(conversation, /is open in another rethread/)
  expect(await box.isDisabled()).toBe(true)
  await free()
  await until(async () => await box.isDisabled(), false)
})

testInFull('while an agent starts, the seconds are counted', async () => {
  const { page, say, idle, messages } = await begin()
  await say('hello')
  await until(async () => await messages.getByText('hello').count(), 2)
  await idle()
  await killAgents(stage().server)
  rmSync(join(stage().home, ANSWERS))
  await say('are you there')
  const line = page.getByRole('status').filter({ hasText: 'Starting mock' })
  const seconds = async () => Number(/^Starting mock… (\d+) s of at most 60 s$/.exec(await line.innerText())?.[1])
  const first = await seconds()
  await until(async () => (await seconds()) > first + 1, true)
  await killAgents(stage().server)
  await line.waitFor({ state: 'hidden' })
})
