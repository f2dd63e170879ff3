// Conversations that grow, that are huge, that mean harm, and those that cannot be had just now.
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { MadeSample } from '../../src/agents/samples/sample.ts'
import { BUILT_PAGE, shareBrowser } from '../support/browser.ts'
import type { Conversation } from '../support/conversations.ts'
import { appendMessage, putConversation, sessionId } from '../support/conversations.ts'
import { inFull } from '../support/full.ts'
import { makeLibrary } from '../support/live-sessions.ts'
import { partsOf, see, until } from '../support/page-parts.ts'
import { shareStage } from '../support/server.ts'
import { startWriter } from '../support/writer.ts'

const HUGE = inFull(50_000, 12_000)
const BROKEN_AT = inFull(20_001, 5_001)
const RIGHT_TO_LEFT = '\u202e'
const HOLD = "const d = open(); d.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE'); say('locked'); await next()"

const made: { growing?: Conversation; gone?: Conversation; row?: MadeSample } = {}
const browse = shareBrowser()
const stage = shareStage(
  home => {
    made.growing = putConversation(home, 1, { messages: 60, isFresh: true })
    const hostile = putConversation(home, 2, { messages: 1, text: HOSTILE_TITLE })
    for (const [at, text] of HOSTILE.flatMap(text => [text, text]).entries()) appendMessage(hostile, at + 2, text)
    putConversation(home, 3, { messages: HUGE, brokenAt: BROKEN_AT })
    made.gone = putConversation(home, 4)
    made.row = makeLibrary(home, 1, { agents: ['opencode'], generations: ['database'] })[0]
    if (made.row !== undefined) setJournalMode(made.row.file)
  },
  { page: BUILT_PAGE },
)

const HOSTILE_TITLE = `Look: <img src=x onerror="globalThis.harmed = 1"> ${RIGHT_TO_LEFT}\u001b[31m title`
const HOSTILE = [
  '<script>globalThis.harmed = 1</script><img src="http://example.invalid/a.png" onerror="globalThis.harmed = 1">',
  '[here](javascript:globalThis.harmed=1) [there](data:text/html,<script>globalThis.harmed=1</script>)',
  '![look](http://example.invalid/b.png) <iframe src="http://example.invalid/"></iframe>',
  `\u001b]0;title\u0007\u001b[2J\u001b[31mred ${RIGHT_TO_LEFT}txt.exe\u2066`,
  '<svg onload="globalThis.harmed = 1"></svg> <a href="http://example.invalid/" onclick="globalThis.harmed = 1">x</a>',
]

function setJournalMode(file: string): void {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = DELETE')
  database.close()
}

const key = (n: number): string => stage().key(sessionId(n))

function must<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('It was not made.')
  return value
}

async function placeOf(page: Page): Promise<unknown> {
  return await page.evaluate('document.querySelector("[role=feed]").scrollTop')
}

test('what is written while somebody reads further up is offered, and moves nothing', async () => {
  const growing = must(made.growing)
  const page = await browse(stage().server.address)
  const { open, conversation, messages, button } = partsOf(page)
  await open(key(1))
  await see(messages, 'answer 60')
  appendMessage(growing, 61)
  await see(messages, 'question 61')
  await conversation.getByRole('button', { name: 'First' }).click()
  await see(messages, 'question 1')
  const before = await placeOf(page)
  for (const n of [62, 63, 64]) appendMessage(growing, n)
  await button('3 new messages, go there').waitFor()
  expect(await placeOf(page)).toBe(before)
  await button('3 new messages, go there').click()
  await see(messages, 'answer 64')
  appendFileSync(growing.file, '{"type":"user","mess')
  await see(conversation, '⚠ Partial data (conversation may be updating)')
})

test(`of ${HUGE} messages the last are seen first, and every other can be gone to`, async () => {
  const page = await browse(stage().server.address)
  const { open, conversation, messages } = partsOf(page)
  await open(key(3))
  await see(messages, `answer ${HUGE}`)
  await see(conversation, `${HUGE.toLocaleString('en-US')} messages`)
  await conversation.getByRole('button', { name: 'First' }).click()
  await see(messages, 'question 1')
  await expectOrder(page)
  for (let turns = 0; turns < 5; turns++) {
    await messages.hover()
    await page.mouse.wheel(0, 4000)
    await expectOrder(page)
  }
  await conversation.getByRole('button', { name: 'Go to finding' }).click()
  await conversation.getByRole('note').waitFor()
  await see(messages, `question ${BROKEN_AT}`)
  await expectOrder(page)
  await conversation.getByRole('button', { name: 'Last' }).click()
  await see(messages, `answer ${HUGE}`)
})

/** The place that each message on the screen says it has, with the number in its words. */
async function shownNumbers(page: Page): Promise<{ place: number; said: number }[]> {
  const rows = await page.evaluate(`[...document.querySelectorAll('[role=feed] article')].map(article => ({
    place: Number(article.getAttribute('aria-posinset')),
    said: Number(/(?:question|answer) (\\d+)/.exec(article.innerText)?.[1] ?? 0),
  })).filter(({ said }) => said > 0)`)
  return z.array(z.object({ place: z.number(), said: z.number() })).parse(rows)
}

/** While the page scrolls, nothing may be drawn: what counts is one reading of the screen. */
async function expectOrder(page: Page): Promise<void> {
  let shown: { place: number; said: number }[] = []
  await until(async () => {
    shown = await shownNumbers(page)
    return shown.length > 2
  }, true)
  expect(shown.map(({ said }) => said)).toEqual(shown.map(({ place }) => place))
}

test('a conversation that means harm is shown, and does none', async () => {
  const page = await browse(stage().server.address)
  const { open, conversation, messages, list } = partsOf(page)
  await see(list, /^Look: <img/)
  await open(key(2))
  await see(messages, /txt\.exe/)
  await conversation.getByRole('button', { name: 'First' }).click()
  await messages.getByText(/^here/).first().click()
  const found = await page.evaluate(`({
    harmed: typeof globalThis.harmed,
    scripts: document.querySelectorAll('[role=feed] :is(script, img, iframe, svg[onload], [onclick], [onerror])').length,
    links: [...document.querySelectorAll('[role=feed] a')].map(link => link.protocol).filter(name => name !== 'http:'),
    turned: /[\\u202a-\\u202e\\u2066-\\u2069\\u001b\\u0007]/.test(document.body.innerText + document.title),
  })`)
  expect(found).toEqual({ harmed: 'undefined', scripts: 0, links: [], turned: false })
  await see(conversation, `${1 + 2 * HOSTILE.length} messages`)
})

test('while another program holds the database, the last good reading is shown and said to be so', async () => {
  const { file, sessionId: id } = must(made.row)
  const page = await browse(stage().server.address, { expects: /Failed to load resource/ })
  const { open, conversation, messages } = partsOf(page)
  await open(stage().key(id))
  await messages.getByRole('article').first().waitFor()
  const holder = startWriter(file, HOLD)
  await holder.heard()
  await page.reload()
  await see(conversation, '⚠ Partial data (database busy, showing the last good reading)')
  await messages.getByRole('article').first().waitFor()
  await holder.kill()
  await until(async () => await conversation.getByText('⚠ Partial data').count(), 0)
})

test('a file that cannot be opened is an error with what to do, never an empty pane, until it can be', async () => {
  const { file } = must(made.gone)
  const page = await browse(stage().server.address, { expects: /Failed to load resource/ })
  const { open, conversation, messages } = partsOf(page)
  rmSync(file)
  mkdirSync(file)
  await open(key(4))
  const alert = conversation.getByRole('alert')
  await see(alert, /is a directory where a file was expected/)
  await see(alert, `ls -la ${file}`)
  rmSync(file, { recursive: true })
  putConversation(stage().home, 4)
  await page.reload()
  await see(messages, 'answer 10')
})
