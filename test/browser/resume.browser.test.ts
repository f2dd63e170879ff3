// Resuming in the page: the agent's output, what is typed, a reload, the end; and a server that goes and comes back.
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { BUILT_PAGE, shareBrowser } from '../support/browser.ts'
import type { Conversation } from '../support/conversations.ts'
import { putConversation, sessionId } from '../support/conversations.ts'
import { partsOf, see, until } from '../support/page-parts.ts'
import { ownStage, shareStage } from '../support/server.ts'

const HOSTILE = '--settings={"apiKeyHelper":"touch CANARY; echo x"}'
const conversations: Conversation[] = []
const browse = shareBrowser()
const stage = shareStage(
  home => {
    for (const n of [1, 2, 3]) conversations[n] = putConversation(home, n, n === 1 ? { brokenAt: 4 } : {})
    putConversation(home, 4, { id: HOSTILE })
  },
  { page: BUILT_PAGE },
)

const key = (n: number): string => stage().key(sessionId(n))

test('a conversation is resumed, repaired first; it hears what is typed, survives a reload, and says how it ended', async () => {
  const page = await browse(stage().server.address)
  const { row, health, terminals, button } = partsOf(page)
  await row(key(1)).click()
  await see(health, 'Damaged')
  await button(/^Resume/).click()
  await see(terminals, `started: --resume ${sessionId(1)}`)
  await see(terminals, /^Repaired: /)
  await see(health, 'Healthy')
  await page.keyboard.type('good morning\n')
  await see(terminals, 'heard: good morning')
  await terminals.getByRole('button', { name: 'Split to the right' }).click()
  await until(async () => await page.locator('.xterm').count(), 2)
  await page.reload()
  await see(terminals, 'heard: good morning')
  expect(await page.locator('.xterm').count()).toBe(2)
  await page
    .getByRole('textbox', { name: /^Terminal input/ })
    .first()
    .focus()
  await page.keyboard.type('exit 3\n')
  await see(terminals, 'The program ended with code 3.')
  await button('Resume again').waitFor()
})

test('a conversation that is gone is reported, and the agent is started without it', async () => {
  const page = await browse(stage().server.address, { expects: /Failed to load resource/ })
  const { open, conversation, terminals, messages, button } = partsOf(page)
  await open(key(2))
  await see(messages, 'answer 10')
  rmSync(conversations[2]?.file ?? '')
  await button(/^Resume/).click()
  await see(page.locator('body'), 'This conversation no longer exists')
  await see(terminals, /started: +in /)
  await conversation.waitFor()
})

test('a machine without conversations says where it looked, and offers the demo', async () => {
  const empty = await ownStage(() => undefined, { page: BUILT_PAGE })
  const page = await browse(empty.server.address)
  const home = page.getByRole('region', { name: 'Home' })
  await see(home, 'No conversations on this machine yet')
  await see(home, 'rethread demo')
  await see(home.getByRole('region', { name: 'Where rethread searched' }), '~/.claude/projects')
  expect(await home.getByRole('listitem').count()).toBe(empty.context.agents.length)
  await see(page.getByRole('navigation', { name: 'Conversations' }), 'No conversations on this machine')
})

test('when the server stops the page says so and keeps what it shows, and goes on when it is back', async () => {
  const own = await ownStage(home => void putConversation(home, 1), { page: BUILT_PAGE })
  await own.checked()
  const page = await browse(own.server.address, {
    expects: /ERR_CONNECTION_|ERR_EMPTY_RESPONSE|WebSocket|status of 503/,
  })
  const { open, messages } = partsOf(page)
  await open(own.key(sessionId(1)))
  await see(messages, 'answer 10')
  const { port } = own
  await own.server.stop()
  await see(page.locator('body'), /rethread was stopped\. Reconnecting/)
  await see(messages, 'answer 10')
  await own.restart({ port })
  await page.getByText('Reconnecting').waitFor({ state: 'hidden' })
  await see(page.locator('body'), 'All checked')
})

test('a conversation whose id is an option is damaged, readable, and resumed neither by the button nor by its key', async () => {
  const page = await browse(stage().server.address)
  const { row, health, messages, button } = partsOf(page)
  await row(stage().key(HOSTILE)).click()
  await see(messages, 'answer 10')
  await see(health, 'Damaged')
  await see(health, /does not use ids of this form/)
  expect(await health.getByText('Healthy').count()).toBe(0)
  expect(await button(/^Resume/).isDisabled()).toBe(true)
  await page.keyboard.press('r')
  await page.keyboard.press('Escape')
  expect(
    stage()
      .server.services.terminals.list()
      .filter(({ command }) => command.includes('settings')),
  ).toEqual([])
})
