// Half a character never reaches an agent: its service would refuse it, and every later turn with it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { openEditor, textOf } from '../../../test/support/editor.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import { eventsIn, isKind } from '../../../test/support/journal.ts'
import { shareApi } from '../../../test/support/opencode-api.ts'
import { begin, openConversations, reopen } from '../../../test/support/talk.ts'
import { EditorWire } from '../editor/editor-wire.ts'
import { jsonOf } from './message-bytes.ts'

const LONE = 'a\ud800b'
const REPLACED = 'a\ufffdb'
const prompts = isKind('session/prompt')

/** Every line that the agent received, as bytes that were read as text. */
function heard(folder: string): string {
  return readFileSync(join(folder, 'agent.log'), 'utf8')
}

test('prompts are corrected at any depth, and the journal holds exactly what was sent', async () => {
  const talk = await openConversations()
  const id = await begin(talk)
  const prompt = [
    { type: 'text', text: LONE },
    { type: 'resource', resource: { uri: `file:///${LONE}`, text: LONE, mimeType: 'text/plain' } },
  ]
  await talk.conversations.prompt(id, { prompt, _meta: { [LONE]: [LONE] } })
  const sent = (await eventsIn(talk.store, id)).filter(prompts)
  expect(sent).toHaveLength(1)
  expect(heard(talk.folder)).toContain(`${sent[0]?.payload.toString()}\n`)
  expect(heard(talk.folder)).not.toMatch(/\\ud800/i)
  const params = { prompt: [{ text: REPLACED }, { resource: { text: REPLACED } }], _meta: { [REPLACED]: [REPLACED] } }
  expect(sent[0]?.envelope).toMatchObject({ params })
  const published = talk.events.filter(prompts)
  expect(published[0]?.envelope).toEqual(sent[0]?.envelope)
})

test('invalid text in an older journal is corrected in a replay', async () => {
  const first = await openConversations({ flags: ['--without', 'load', '--without', 'resume'] })
  const id = await begin(first)
  await first.conversations.prompt(id, { prompt: [{ type: 'text', text: 'before' }] })
  const payload = Buffer.from(
    String.raw`{"jsonrpc":"2.0","id":99,"method":"session/prompt","params":{"prompt":[{"type":"text","text":"old \ud800"}]}}`,
  )
  const { lastConnectionId: connectionId } = await first.conversations.get(id)
  const envelope = { id: 'old', createdAt: Date.now(), connectionId, kind: 'session/prompt', sender: 'client' } as const
  await first.store.append(id, [{ ...envelope, payload }])
  const second = await reopen(first)
  await second.conversations.prompt(id, { prompt: [{ type: 'text', text: 'more' }] })
  expect(heard(first.folder)).toContain(String.raw`old \\ufffd`)
  expect(heard(first.folder)).not.toMatch(/\\ud800/i)
})

test('through an editor: replaced where it is, and every other byte as the editor wrote it', async () => {
  const folder = temporaryHome()
  const editor = await openEditor(folder)
  const { sessionId } = await editor.agent.request('session/new', { cwd: join(folder, 'project'), mcpServers: [] })
  await editor.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: LONE }] })
  expect(heard(folder)).toContain(String.raw`"text":"a\ufffdb"`)
  expect(textOf(editor.updates, 'agent_message_chunk')).toContain(REPLACED)
})

test.each([
  [String.raw`{"n":12345678901234567890,"t":"\ud83d\ude00 \\ud800","u":1.0}`, undefined],
  [
    String.raw`{"n":12345678901234567890,"t":"\ud800","u":1.0}`,
    String.raw`{"n":12345678901234567890,"t":"\ufffd","u":1.0}`,
  ],
])('the line of an editor keeps its bytes: %s', async (params, expected = params) => {
  const input = new PassThrough()
  const wire = new EditorWire(input, new PassThrough())
  input.end(`{"jsonrpc":"2.0","method":"_x","params":${params}}\n`)
  const { value } = await wire.stream.readable.getReader().read()
  expect(jsonOf(Reflect.get(Object(value), 'params')).toString()).toBe(expected)
})

const api = shareApi()

test('through the OpenCode-compatible API: prompts, commands, titles and session metadata', async () => {
  const id = await api().begin({ title: LONE, metadata: { [LONE]: LONE } })
  expect(await api().get(`/session/${id}`)).toMatchObject({ title: REPLACED })
  await api().call('PATCH', `/session/${id}`, { title: `${LONE}2` })
  expect(await api().get(`/session/${id}`)).toMatchObject({ title: `${REPLACED}2` })
  const { parts } = await api().prompt(id, LONE)
  expect(parts.map(({ text }) => text ?? '').join('')).toContain(REPLACED)
  const file = { type: 'file', mime: 'text/plain', url: `file:///${LONE}`, filename: LONE }
  await api().post(`/session/${id}/message`, { parts: [{ type: 'text', text: 'see' }, file] })
  await api()
    .post(`/session/${id}/command`, { command: 'compact', arguments: LONE })
    .catch(() => undefined)
  const messages = JSON.stringify(await api().get(`/session/${id}/message`))
  expect(messages).not.toMatch(/\\ud800/)
  const { store } = api().talk
  const [session] = (await store.listSessions({ limit: 50 })).sessions
  const sent = (await eventsIn(store, session?.id ?? '')).filter(({ sender }) => sender === 'client')
  expect(sent.length).toBeGreaterThan(2)
  for (const { payload } of sent) expect(payload.toString()).not.toMatch(/\\ud800/)
})
