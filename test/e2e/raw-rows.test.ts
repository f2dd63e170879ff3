import { expect, test } from 'vitest'
import { rethread, rethreadInTurn } from '../support/cli.ts'
import { alter, BUBBLES, putChat, putState, SECRET_KEY, TOKEN } from '../support/cursor/store-maker.ts'
import { temporaryHome } from '../support/home.ts'
import { addRow, fixture, putKiroDatabase, ROW } from '../support/kiro/store.ts'

const ID = '66666666-6666-4666-8666-666666666666'

test('--raw shows the rows behind a conversation, whatever tells them apart', async () => {
  const home = temporaryHome()
  putState(home, [{ id: ID }])
  putKiroDatabase(home, database => addRow(database, fixture('database-value.json').toString()))
  const bubbles = (await rethread(home, 'show', ID, '--raw')).stdout.trim().split('\n')
  expect(bubbles).toHaveLength(BUBBLES.length)
  expect(JSON.parse(bubbles[0] ?? '').key).toBe(`bubbleId:${ID}:b1`)
  expect((await rethreadInTurn(home, 'show', ROW, '--raw')).stdout).toContain('conversation_id')
})

test('no row that holds keys or tokens is ever shown, not even where it holds the conversation or is damaged', async () => {
  const home = temporaryHome()
  const inline = { fullConversationHeadersOnly: [], conversation: BUBBLES }
  putState(home, [{ id: ID, composer: inline, bubbles: [] }])
  const chat = putChat(home, { id: 'chat-1' })
  alter(chat.file, "UPDATE meta SET value = value || 'zz'")
  for (const id of [ID, 'chat-1']) {
    for (const args of [
      ['show', id, '--raw'],
      ['show', id, '--json'],
      ['show', id, '--full'],
      ['list', '--json'],
    ]) {
      const { stdout, stderr } = await rethreadInTurn(home, ...args)
      for (const secret of [SECRET_KEY, Buffer.from(SECRET_KEY).toString('hex'), TOKEN])
        expect(stdout + stderr, args.join(' ')).not.toContain(secret)
    }
  }
  expect((await rethreadInTurn(home, 'show', ID, '--raw')).stdout).toContain('withheld')
})
