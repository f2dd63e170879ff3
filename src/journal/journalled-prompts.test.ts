// A message is in the journal before its agent runs. An agent that cannot start leaves it there, with the reason.
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { put, temporaryHome } from '../../test/support/home.ts'
import { eventsIn, isKind, promptsHeard, saidIn } from '../../test/support/journal.ts'
import { openApi, type Prompted } from '../../test/support/opencode-api.ts'
import { openConversations, reopen, say } from '../../test/support/talk.ts'
import type { AgentCommand } from './connection/agent-process.ts'

const ANSWERING = `while read -r line; do
  id=$(printf %s "$line" | sed -n 's/.*"id":\\([0-9]*\\).*/\\1/p')
  case "$line" in
    *'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1}}\\n' "$id" ;;
    *) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"Authentication required"}}\\n' "$id" ;;
  esac
done`

function brokenAgents(folder: string): Record<string, Pick<AgentCommand, 'command' | 'args'>> {
  const script = put(folder, 'script', '#!/nowhere/interpreter\n')
  chmodSync(script, 0o755)
  return {
    absent: { command: '/nowhere/agent', args: [] },
    'not-executable': { command: put(folder, 'plain', 'text'), args: [] },
    'no-interpreter': { command: script, args: [] },
    'ends-at-once': { command: 'sh', args: ['-c', 'exec 0<&-; echo no license found >&2; exit 3'] },
    'says-garbage': { command: 'sh', args: ['-c', 'echo "Usage: agent [options]"; exit 0'] },
    'wants-login': { command: 'sh', args: ['-c', ANSWERING] },
  }
}

const CAUSES = {
  absent: /is not installed.*npm install --global agent-package/,
  'not-executable': /is not executable.*chmod \+x/,
  'no-interpreter': /interpreter .* was not found.*head -1/,
  'ends-at-once': /ended with status 3.*no license found/,
  'says-garbage': /not ACP: Usage: agent \[options\]/,
  'wants-login': /asks for a login.*agent login --now/,
} as const

describe.each(Object.entries(CAUSES))('an agent that is %s', (kind, cause) => {
  const commandIn = (folder: string, name: string): AgentCommand => {
    const command = brokenAgents(folder)[kind] ?? { command: '', args: [] }
    return { name, title: 'The agent', ...command, env: {}, install: 'agent-package', login: 'agent login --now' }
  }

  test('leaves the message in the journal with the cause, and a working agent gets the next one alone', async () => {
    const folder = temporaryHome()
    const broken = await openConversations({ folder, agent: name => commandIn(folder, name) })
    const { id } = await broken.conversations.prepare({ agent: 'mock', cwd: folder })
    const failed = await broken.conversations.prompt(id, say('hello')).catch((error: unknown) => error)
    expect(`${Object(failed)['message']} ${Object(failed)['hint']}`).toMatch(cause)
    expect(String(failed)).not.toContain('EPIPE')
    expect(await saidIn(broken.store, id)).toEqual(['user: hello', 'assistant:  (error)'])
    expect((await broken.conversations.get(id)).openTurns).toBe(0)
    const working = await reopen(broken, {})
    await working.conversations.prompt(id, say('again'))
    expect((await saidIn(working.store, id)).slice(2)).toEqual(['user: again', 'assistant: again'])
    expect(promptsHeard(folder).map(({ text }) => text)).toEqual(['again'])
  })

  test('is shown with its cause to clients of OpenCode', async () => {
    const folder = temporaryHome()
    const api = await openApi({ folder, agent: name => commandIn(folder, name) })
    const id = await api.begin()
    const log = await api.listen(id)
    const { info } = await api.prompt(id, 'hello')
    const name = kind === 'wants-login' ? 'ProviderAuthError' : 'UnknownError'
    const error = { name, data: { message: expect.stringMatching(cause) } }
    expect(info.error).toMatchObject(error)
    const [said, answer] = await api.get<Prompted[]>(`/session/${id}/message`)
    expect(said).toMatchObject({ info: { role: 'user' }, parts: [{ type: 'text', text: 'hello' }] })
    expect(answer).toMatchObject({ info: { role: 'assistant', error } })
    const event = await log.until(({ type }) => type === 'session.error')
    expect(event.properties).toMatchObject({ error })
  })
})

test('a message is on disk before its agent answers, and a crash in between says so', async () => {
  const folder = temporaryHome()
  const talk = await openConversations({ folder, flags: ['--fault', 'silent-initialize'] })
  const { id } = await talk.conversations.prepare({ agent: 'mock', cwd: join(folder, 'project') })
  void talk.conversations.prompt(id, say('hello')).catch(() => undefined)
  await expect
    .poll(async () => (await eventsIn(talk.store, id)).filter(isKind('_rethread/prompt_taken')))
    .toHaveLength(1)
  // As another process finds it after the first one is gone.
  expect((await talk.store.getSession(id))?.openTurns).toBe(1)
  const next = await reopen(talk, {})
  await next.conversations.settle()
  expect((await saidIn(next.store, id))[0]).toBe('user: hello')
  expect((await next.conversations.get(id)).openTurns).toBe(0)
})
