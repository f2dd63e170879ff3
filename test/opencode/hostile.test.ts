// Wrong and hostile input on every route of the OpenCode-compatible API: refused in its shape, and never a fault of the server.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { errorBodySchema } from '../../src/opencode/shapes/message.ts'
import type { Question } from '../support/ask.ts'
import { putBrokenAgents } from '../support/broken-agents.ts'
import { inTurns } from '../support/full.ts'
import { put } from '../support/home.ts'
import { shareStage } from '../support/server.ts'

const stage = shareStage(home => {
  putBrokenAgents(home)
  put(home, 'project/a.txt', 'text')
})

/** They do not end. */
const STREAMS = new Set(['/event', '/global/event', '/tui/control/next'])
const ask = async (path: string, question: Partial<Question> = {}) => await stage().ask(`/opencode${path}`, question)
const post = async (path: string, body: unknown) => await ask(path, { method: 'POST', body: JSON.stringify(body) })

const routes = (): { method: string; path: string }[] =>
  stage()
    .server.services.opencode.app.routes.filter(({ method, path }) => method !== 'ALL' && !STREAMS.has(path))
    .map(({ method, path }) => ({ method, path }))

async function faults(asked: readonly (Partial<Question> & { path: string })[]): Promise<string[]> {
  const found: string[] = []
  for (const { path, ...question } of asked) {
    const { status, text } = await ask(path, question)
    const isShaped = status < 400 || errorBodySchema.safeParse(JSON.parse(text)).success
    if (status === 500 || !isShaped) found.push(`${status} ${question.method} ${path} ${question.body ?? ''} ${text}`)
  }
  return found
}

async function begin(): Promise<string> {
  const directory = encodeURIComponent(join(stage().home, 'project'))
  return (await post(`/session?directory=${directory}`, {})).as(z.object({ id: z.string() })).id
}

const VALUES = ['nobody', '..%2f..%2fetc', '%00', '%ff', '-1', 'x'.repeat(3000), 'ses_%E2%80%AE', '__proto__']
const BODIES = [
  ...['', '{', '[]', 'null', '7', '{}', '{"__proto__":{"x":1}}', '['.repeat(5000), '{"parts":[{"type":"text"}]}'],
  ...['{"parts":[{"type":"file","mime":"text/plain","url":"data:,%"}]}', '{"title":"\\u0000","parentID":"\\u0000"}'],
  ...['{"cwd":"/tmp/a\\u0000b"}', '{"command":"\\u0000","args":["\\u0000"]}', '{"env":{"A":"\\u0000"}}'],
  ...[
    '{"command":"x","arguments":"\\ud800"}',
    '{"model":{"providerID":"nobody","modelID":"x"}}',
    '{"messageID":"\\u0000"}',
  ],
]
const FOLDERS = [
  ...['/etc/passwd', '/etc/passwd/x', '/nowhere/at/all', 'relative', '../..', '/a\0b', `/${'x'.repeat(300)}`],
  ...[`/${'x/'.repeat(3000)}`, '/dev/null', '/proc/self/fd', '~', 'file:///etc', '\u202e/etc', '/'],
]
const TAKES_QUERY = /^\/(file|find|vcs|session|experimental\/session)/
const QUERIES = [
  ...['pattern=(', 'pattern=%00', `pattern=${'x'.repeat(5000)}`, 'query=%00&limit=-1', 'query=x&limit=1e9', 'path=%00'],
  ...['path=..%2f..', `path=${'x'.repeat(300)}`, `path=${'x%2f'.repeat(2000)}`, 'path=a.txt', 'path=.', 'mode=x'],
  ...['context=99999999999', 'limit=x&before=%00', 'sessionID=%00', 'start=x', 'messageID=%00', 'scope=%00'],
]

describe('no route fails of itself', () => {
  test('whatever stands in its address, and in its body', async () => {
    expect(routes().length).toBeGreaterThan(80)
    const session = await begin()
    const [nextValues, nextBodies] = [inTurns(VALUES), inTurns(BODIES)]
    const asked = routes().flatMap(({ method, path }) => {
      const filled = (value: string): string => path.replaceAll(/:\w+/g, value)
      const values = path.includes(':') ? nextValues() : []
      const bodies = method === 'GET' ? [] : nextBodies()
      return [
        ...values.map(value => ({ method, path: filled(value) })),
        ...bodies.map(body => ({ method, path: filled(session), body })),
      ]
    })
    expect(await faults(asked)).toEqual([])
  })

  test('whatever folder it is about, in the address or in a header', async () => {
    const nextFolders = inTurns(FOLDERS)
    const asked = routes().flatMap(({ method, path }) => {
      const known = `${path.replaceAll(/:\w+/g, 'nobody')}?pattern=x&query=x&path=a.txt`
      return nextFolders().map((folder, index) => {
        const named = encodeURIComponent(folder)
        return index % 2 === 0
          ? { method, path: `${known}&directory=${named}` }
          : { method, path: known, headers: { 'x-opencode-directory': named } }
      })
    })
    expect(await faults(asked)).toEqual([])
  })

  test('whatever it is asked of a session that is there', async () => {
    const session = await begin()
    const gets = routes().filter(({ method, path }) => method === 'GET' && TAKES_QUERY.test(path))
    const nextQueries = inTurns(QUERIES)
    const asked = gets.flatMap(({ method, path }) => {
      const known = path.replace(/:(id|session)/, session).replaceAll(/:\w+/g, 'x')
      const directory = encodeURIComponent(join(stage().home, 'project'))
      return nextQueries().map(query => ({ method, path: `${known}?directory=${directory}&${query}` }))
    })
    expect(await faults(asked)).toEqual([])
  })
})

test.each([
  ['absent', /not installed/],
  ['ends-at-once', /ended with status 3.*no license found/s],
  ['echoes-all', /The agent failed/],
  ['refuses', /quota exceeded/],
  ['wants-login', /Authentication required/],
  ['tells-no-id', /without sending its id/],
])('a message to the agent %s that cannot answer is answered with why', async (agent, words) => {
  const model = { providerID: agent, id: agent }
  const { id } = (await post('/session', { model })).as(z.object({ id: z.string() }))
  const { status, text } = await post(`/session/${id}/message`, { parts: [{ type: 'text', text: 'hello' }] })
  expect({ status, text }).toEqual({ status: 200, text: expect.stringMatching(words) })
  expect(text).toContain('"error"')
})
