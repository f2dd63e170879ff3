import { expect, test } from 'vitest'
import { shareApi } from '../../test/support/opencode-api.ts'
import { addRules, decide, type PermissionRule } from './permission-rules.ts'
import type { Session } from './shapes/session.ts'

const rule = (permission: string, pattern: string, action: PermissionRule['action']): PermissionRule => ({
  permission,
  pattern,
  action,
})

test.each<[PermissionRule[], string, string[], PermissionRule['action']]>([
  [[], 'bash', ['ls'], 'ask'],
  [[rule('*', '*', 'deny')], 'bash', ['ls'], 'deny'],
  [[rule('*', '*', 'deny'), rule('bash', '*', 'allow')], 'bash', ['ls'], 'allow'],
  [[rule('bash', '*', 'allow'), rule('*', '*', 'deny')], 'bash', ['ls'], 'deny'],
  [[rule('bash', 'git *', 'allow')], 'bash', ['git'], 'allow'],
  [[rule('bash', 'git *', 'allow')], 'bash', ['gitk'], 'ask'],
  [[rule('edit', '*.ts', 'allow')], 'edit', ['a.ts', 'b.md'], 'ask'],
  [[rule('edit', '*', 'allow'), rule('edit', '*.env', 'deny')], 'edit', ['a.ts', 'x/.env'], 'deny'],
  [[rule('edit', '[a]', 'deny')], 'edit', ['a'], 'ask'],
  [[rule('bash', '*', 'allow'), rule('bash', '*', 'ask')], 'bash', ['ls'], 'ask'],
])('rules %j decide on %s %j: %s', (rules, permission, patterns, action) => {
  expect(
    decide(
      rules,
      permission,
      patterns.map(pattern => [pattern]),
    ),
  ).toBe(action)
})

test('a path below the folder of the session matches under both its names', () => {
  expect(decide([rule('edit', 'src/*', 'deny')], 'edit', [['/shop/src/a.ts', 'src/a.ts']])).toBe('deny')
})

test('rules that are added later win', () => {
  const rules = addRules([rule('bash', '*', 'deny')], [rule('bash', 'ls', 'allow')])
  expect(decide(rules, 'bash', [['ls']])).toBe('allow')
})

const shared = shareApi()

test.each([
  ['deny', 'reject', 'error'],
  ['allow', 'once', 'completed'],
] as const)('a session that was created with the rule %s answers its agent itself', async (action, reply, status) => {
  const api = shared()
  const permission = [rule('bash', 'echo *', action)]
  const { id, ...session } = await api.post<Session>('/session', { permission })
  expect(session.permission).toEqual(permission)
  const log = await api.listen(id)
  const { info, parts } = await api.prompt(id, 'permission')
  expect(info.id).toMatch(/_assistant$/)
  expect(parts).toMatchObject([
    { type: 'step-start' },
    { type: 'tool', tool: 'bash', state: { status, input: { command: 'echo permission' } } },
    { type: 'step-finish' },
  ])
  await log.untilIdle()
  expect(log.types()).not.toContain('permission.asked')
  expect(log.of('permission.replied')).toMatchObject([{ reply }])
})

test('a question is denied by a rule, and never allowed by one', async () => {
  const api = shared()
  const denied = await api.begin({ permission: [rule('question', '*', 'deny')] })
  expect((await api.prompt(denied, 'question')).info.id).toMatch(/_assistant$/)
  const asked = await api.begin({ permission: [rule('*', '*', 'allow')] })
  expect((await api.prompt(asked, 'question')).info.id).toMatch(/_pending$/)
  await api.post(`/session/${asked}/abort`)
})

test('rules are added to a session, and refused where they are not rules', async () => {
  const api = shared()
  const id = await api.begin({ permission: [rule('bash', '*', 'allow')] })
  const body = { permission: [rule('*', '*', 'deny')] }
  expect(await api.call('PATCH', `/session/${id}`, body)).toMatchObject({
    status: 200,
    body: { permission: [rule('bash', '*', 'allow'), rule('*', '*', 'deny')] },
  })
  const { parts } = await api.prompt(id, 'permission')
  expect(parts[1]).toMatchObject({ state: { status: 'error' } })
  const wrong = { permission: [{ permission: 'bash', pattern: '*', action: 'maybe' }] }
  expect(await api.call('POST', '/session', wrong)).toMatchObject({ status: 400 })
})
