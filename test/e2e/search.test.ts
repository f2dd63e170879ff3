// `rethread search` as people and scripts run it.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rethread, rethreadInTurn } from '../support/cli.ts'
import { lines, put, temporaryHome } from '../support/home.ts'

const ID = '11111111-1111-4111-8111-111111111111'

function homeWith(...said: string[]): string {
  const home = temporaryHome()
  const records = said.map((text, at) => ({
    parentUuid: at === 0 ? null : `m${at - 1}`,
    uuid: `m${at}`,
    sessionId: ID,
    cwd: '/home/dev/shop',
    type: at % 2 === 0 ? 'user' : 'assistant',
    timestamp: new Date(Date.UTC(2026, 8, 1) + at * 1000).toISOString(),
    message: { role: at % 2 === 0 ? 'user' : 'assistant', content: [{ type: 'text', text }] },
  }))
  put(home, `.claude/projects/-home-dev-shop/${ID}.jsonl`, lines(...records))
  return home
}

function search(home: string, ...args: string[]) {
  return rethreadInTurn(home, '--state', join(home, 'state'), 'search', ...args)
}

test('prints one conversation with its passages, plain in a pipe, and opens it at the message', async () => {
  const home = homeWith(
    'why is the kettle red',
    'because of \u001b[31mthe lamp\u001b[0m\u202e and\u0007 a kettle',
    'thanks',
    'bye',
  )
  const found = await rethread(home, '--state', join(home, 'state'), 'search', 'kettle', 'lamp', '-spoon')
  expect(found.status).toBe(0)
  expect(found.stdout).toContain('11111111 · Claude Code')
  expect(found.stdout).toMatch(/ {5}2 {2}Claude Code: because of the lamp\ufffd and␇ a kettle/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be printed
  expect(found.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
  const shown = await rethreadInTurn(
    home,
    '--state',
    join(home, 'state'),
    'show',
    '1111',
    '--at-message',
    '4',
    '--json',
  )
  expect(JSON.parse(shown.stdout).messages.map(({ id }: { id: string }) => id)).toEqual(['m1', 'm2', 'm3'])
  const beyond = await rethreadInTurn(home, '--state', join(home, 'state'), 'show', '1111', '--at-message', '9')
  expect(beyond.stderr).toContain('The session has no message 9: it has 4.')
})

test('prints JSON, and without hits exits with 0 and says what was searched', async () => {
  const home = homeWith('why is the kettle red', 'who knows')
  const found = JSON.parse((await search(home, 'kettle', '--json')).stdout)
  expect(found).toMatchObject({
    results: [
      {
        agent: 'claude-code',
        sessionId: ID,
        title: expect.any(String),
        project: '/home/dev/shop',
        score: expect.any(Number),
        matches: [{ message: 1, role: 'user', snippet: 'why is the kettle red', place: { start: 0 } }],
      },
    ],
    indexed: { sessions: 1, behind: 0 },
  })
  const none = await search(home, 'nonsense')
  expect([none.status, none.stdout]).toEqual([0, 'Nothing found · 1 conversation searched\n'])
})

test.each([
  [['kettle', '--role', 'judge'], /--role needs one of user, assistant, tool/],
  [['kettle', '--since', 'soon'], /"soon" is not a valid value for --since/],
  [['kettle', '--limit', '0'], /--limit needs a whole number/],
  [['kettle', '--agent', 'nobody'], /Unknown agent "nobody"/],
  [['kettle', '--typo'], /unknown option '--typo'/],
  [[], /Specify what to search for/],
])('%j is wrong usage', async (args, message) => {
  const { status, stderr } = await search(homeWith('a', 'b'), ...args)
  expect(stderr).toMatch(message)
  expect(status).toBe(2)
})
