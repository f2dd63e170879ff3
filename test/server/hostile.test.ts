// Wrong and hostile input on every route: refused with a status and words that fit, and never a fault of the server.
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { apiErrorSchema } from '../../src/server/api.ts'
import { makeHttp } from '../../src/server/http.ts'
import { HTTP_OF_ERROR } from '../../src/server/http-status.ts'
import { failures } from '../../src/server/routes/common.ts'
import { type BrokenAgent, putBrokenAgents } from '../support/broken-agents.ts'
import { putConversation, sessionId } from '../support/conversations.ts'
import { inTurns } from '../support/full.ts'
import { put } from '../support/home.ts'
import { shareStage } from '../support/server.ts'

const stage = shareStage(home => {
  putConversation(home, 1)
  putBrokenAgents(home)
  put(home, 'file', '')
  symlinkSync(join(home, 'nowhere'), join(home, 'dead-link'))
})

const begin = async (body: unknown) => await stage().post('/api/conversations', body)

describe('a folder in which no conversation can begin', () => {
  const folders: readonly (readonly [string, () => unknown, number, RegExp])[] = [
    ['a file', () => join(stage().home, 'file'), 400, /file is not a folder.*such as the one that contains it: \S*/s],
    ['a file of the system', () => '/etc/passwd', 400, /is not a folder.*: \/etc"/s],
    ['below a file', () => '/etc/passwd/below', 400, /\/etc\/passwd is not a folder/],
    ['a device', () => '/dev/null', 400, /is not a folder/],
    ['missing', () => join(stage().home, 'gone'), 400, /does not exist.*mkdir -p/s],
    ['a dead link', () => join(stage().home, 'dead-link'), 400, /is a link to something that does not exist/],
    ['relative', () => 'project', 400, /is not an absolute path/],
    ['above', () => '/tmp/../etc', 400, /is not an absolute path/],
    ['with a NUL', () => '/tmp/a\0b', 400, /NUL/],
    ['long', () => `/${'x'.repeat(4000)}`, 400, /too long/],
    ['longer than allowed', () => `/${'x'.repeat(5000)}`, 400, /is not valid/],
    ['empty', () => '', 400, /is not valid/],
    ['of blanks', () => '   ', 400, /is not an absolute path/],
    ['a number', () => 7, 400, /is not valid/],
    ['null', () => null, 400, /is not valid/],
    ['a list', () => ['/tmp'], 400, /is not valid/],
  ]

  test.each(folders)('%s', async (_, folder, status, words) => {
    const answer = await begin({ agent: 'mock', folder: folder() })
    expect(answer.status, answer.text).toBe(status)
    expect(answer.text).toMatch(words)
    expect(answer.text).not.toMatch(/disk or the network|\0/)
    expect(answer.text.includes('mkdir')).toBe(/does not exist.*mkdir/s.test(String(words)))
    const client = await stage().client()
    client.send({
      type: 'terminal.create',
      requestId: 'r',
      ...{ cols: 80, rows: 24, cwd: typeof folder() === 'string' ? String(folder()).slice(0, 4096) : '/nowhere' },
    })
    const { code, text } = await Promise.race([
      client.sees('error'),
      client.sees('terminal.created').then(() => ({ code: 'created', text: '' })),
    ])
    expect(['usage', 'unsafe-argument', 'not-found', 'created', 'busy'], text).toContain(code)
    await client.leave()
  })
})

describe('an agent with which no conversation can begin', () => {
  const agents: readonly (readonly [BrokenAgent | 'nobody', number, RegExp])[] = [
    ['nobody', 400, /No agent is configured with the name.*Use one of: /s],
    ['absent', 404, /not installed/],
    ['not-a-program', 502, /could not be started.*Try it by hand/s],
    ['ends-at-once', 502, /ended with status 3.*no license found.*No message was sent.*Try it by hand/s],
    ['is-killed', 502, /ended by signal SIGKILL.*No message was sent/s],
    ['says-garbage', 502, /ended with status 0.*No message was sent/s],
    ['echoes-all', 502, /echoes-all|The agent failed/],
    ['tells-no-id', 502, /without sending its id/],
    ['answers-null', 502, /without sending its id/],
    ['refuses', 502, /Internal error: quota exceeded/],
    ['wants-login', 502, /Authentication required.*log in/s],
    ['errs-strangely', 502, /The agent failed/],
  ]

  test.each(agents)('%s', async (agent, status, words) => {
    const answer = await begin({ agent, folder: stage().home })
    expect(answer.status, answer.text).toBe(status)
    expect(answer.text).toMatch(words)
    expect(answer.text).not.toMatch(/is in the journal|rethread itself failed/)
    expect(answer.as(apiErrorSchema).hint).not.toBe('')
    const { store } = await stage().server.services.conversations.open()
    const left = (await store.listSessions({ limit: 500 })).sessions.filter(session => session.agent === agent)
    expect(left.filter(({ destroyedAt }) => destroyedAt === undefined)).toEqual([])
  })

  test.each([undefined, null, 7, '', 'x'.repeat(501), 'a\0b', '__proto__', 'constructor'])('named %j', async agent => {
    const answer = await begin({ agent, folder: stage().home })
    expect(answer.status, answer.text).toBe(400)
  })
})

const described = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ responses: z.record(z.string(), z.unknown()) }))),
})
const VALUES = [
  ...['nobody', '..%2f..%2fetc', '%00', '%ff', "'%3B%20--", '-1', '%E2%80%AE', 'x'.repeat(3000), '9'.repeat(30)],
]
const BODIES = [
  ...['', '{', '[]', 'null', '7', '"text"', '{}', '{"__proto__":{"x":1}}', '['.repeat(5000), '{"text":"\\ud800"}'],
  ...['{"text":"x","folder":"/tmp\\u0000","agent":"mock"}', '{"upTo":"m\\u0000"}', '{"force":true,"receipt":"../x"}'],
]

describe('the description of the API', () => {
  test('has every route, and every route all the failures there are', async () => {
    const { paths } = await stage().get('/api/openapi.json', described)
    const routes = makeHttp(stage().server.services, new Map()).routes
    const own = routes.filter(({ path, method }) => path.startsWith('/api/') && method !== 'ALL')
    expect(own.length).toBeGreaterThan(25)
    for (const { path, method } of own) {
      if (path === '/api/openapi.json') continue
      const entry = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
      const listed = Object.keys(entry?.responses ?? {}).filter(status => Number(status) >= 400)
      expect(listed, `${method} ${path}`).toEqual(Object.keys(failures))
    }
    for (const status of Object.values(HTTP_OF_ERROR)) expect(Object.keys(failures)).toContain(String(status))
  })

  test('lists whatever status a route answers with, whatever it is asked', async () => {
    const { paths } = await stage().get('/api/openapi.json', described)
    const wrong: string[] = []
    const nextBodies = inTurns(BODIES)
    for (const [path, methods] of Object.entries(paths))
      for (const [method, { responses }] of Object.entries(methods)) {
        const values = path.includes('{') ? [stage().key(sessionId(1)), ...VALUES] : ['']
        const hasBody = method !== 'get' && method !== 'delete'
        for (const value of values)
          for (const body of hasBody ? nextBodies() : [undefined]) {
            const asked = path.replaceAll(/\{\w+\}/g, value)
            const question = { method: method.toUpperCase(), ...(body === undefined ? {} : { body }) }
            const { status, text } = await stage().ask(asked, question)
            const isListed = Object.keys(responses).includes(String(status))
            if (!isListed || status === 500) wrong.push(`${status} ${method} ${asked} ${body ?? ''} ${text}`)
          }
      }
    expect(wrong).toEqual([])
  })

  test('a body that is not JSON is refused, and not taken for an empty one', async () => {
    const path = `/api/sessions/${stage().key(sessionId(1))}/repair`
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', '']) {
      const answer = await stage().ask(path, { method: 'POST', body: '{}', headers: { 'content-type': type } })
      expect(answer.status, type).toBe(415)
    }
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    expect((await stage().ask(path, { method: 'POST', body: '{}', headers })).status).toBe(200)
  })

  test('a text that is short enough is taken, however its characters are written', async () => {
    const escaped = `{"line":"${'\\u0430'.repeat(20_000)}"}`
    const path = `/api/sessions/${stage().key(sessionId(1))}/sanitize/flags`
    expect((await stage().ask(path, { method: 'POST', body: escaped })).status).toBe(501)
  })
})
