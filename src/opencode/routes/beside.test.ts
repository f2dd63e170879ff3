// Features beside conversations: answered where possible, refused with a reason otherwise.
import { expect, test } from 'vitest'
import { shareApi } from '../../../test/support/opencode-api.ts'

const api = shareApi()

test.each([
  ['/mcp', {}],
  ['/lsp', []],
  ['/formatter', []],
  ['/experimental/capabilities', { backgroundSubagents: false }],
  ['/experimental/console', { consoleManagedProviders: [], switchableOrgCount: 0 }],
  ['/experimental/resource', {}],
  ['/experimental/worktree', []],
  ['/experimental/workspace', []],
  ['/experimental/workspace/status', []],
])('GET %s is %j', async (path, expected) => {
  expect(await api().get(path)).toEqual(expected)
})

test.each([
  ['GET', '/experimental/tool?provider=mock&model=mock'],
  ['GET', '/experimental/tool/ids'],
  ['POST', '/experimental/worktree'],
  ['POST', '/mcp'],
  ['POST', '/mcp/some/connect'],
  ['POST', '/sync/history'],
  ['POST', '/sync/replay'],
  ['GET', '/pty'],
])('%s %s is refused with a reason', async (method, path) => {
  const { status, body } = await api().call(method, path)
  expect(status).toBe(501)
  expect(body).toEqual({
    name: 'NotSupportedError',
    errors: [{ message: expect.stringMatching(/\w/) }],
    data: { message: expect.stringMatching(/\w/), hint: expect.any(String) },
  })
})

test('an unknown route answers in the same shape', async () => {
  expect(await api().call('GET', '/api/location')).toMatchObject({ status: 404, body: { name: 'NotFoundError' } })
})

test('sessions of all folders are listed with where they belong', async () => {
  const id = await api().begin({ title: 'Of all folders' })
  const listed = await api().get<object[]>('/experimental/session?search=ALL')
  expect(listed).toMatchObject([{ id, project: { id: expect.stringMatching(/^proj_/), worktree: api().folder } }])
  expect(await api().get('/experimental/session?search=nothing')).toEqual([])
})
