// What each prompt does, asked of one real process.
import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionOutcome,
  RequestPermissionRequest,
} from '@agentclientprotocol/sdk/unstable'
import { methods } from '@agentclientprotocol/sdk/unstable'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findSchemaFault } from '../../test/support/acp-schema.ts'
import type { MockAgentProcess } from '../../test/support/mock-agent.ts'
import { startMockAgent, textOf } from '../../test/support/mock-agent.ts'

let mock: MockAgentProcess
let session: string
let permissionsAsked: RequestPermissionRequest[]
let formsAsked: CreateElicitationRequest[]
let outcome: RequestPermissionOutcome
let form: CreateElicitationResponse
const written = new Map<string, string>()

beforeAll(async () => {
  mock = await startMockAgent({
    isShared: true,
    capabilities: { elicitation: { form: {} }, fs: { readTextFile: true, writeTextFile: true }, terminal: true },
    answers: app =>
      app
        .onRequest(methods.client.session.requestPermission, ({ params }) => {
          permissionsAsked.push(params)
          return { outcome }
        })
        .onRequest(methods.client.elicitation.create, ({ params }) => {
          formsAsked.push(params)
          return form
        })
        .onRequest(methods.client.fs.readTextFile, ({ params }) => ({ content: `content of ${params.path}` }))
        .onRequest(methods.client.fs.writeTextFile, ({ params }) => void written.set(params.path, params.content))
        .onRequest(methods.client.terminal.create, ({ params }) => ({
          terminalId: [params.command, ...(params.args ?? [])].join('+'),
        }))
        .onRequest(methods.client.terminal.waitForExit, () => ({ exitCode: 0, signal: null }))
        .onRequest(methods.client.terminal.output, ({ params }) => ({
          output: `ran ${params.terminalId}`,
          truncated: false,
        }))
        .onRequest(methods.client.terminal.release, () => {}),
  })
})
beforeEach(async () => {
  permissionsAsked = []
  formsAsked = []
  session = await mock.newSession()
})
afterAll(() => mock.stop())

describe('a permission', () => {
  test.each([
    ['allow_once', 'completed'],
    ['allow_always', 'completed'],
    ['reject_once', 'failed'],
  ])('that is answered with %s ends the tool as %s', async (optionId, status) => {
    outcome = { outcome: 'selected', optionId }
    const { stopReason, updates } = await mock.prompt(session, 'I need a PERMISSION for this tool')
    expect(stopReason).toBe('end_turn')
    const [asked] = permissionsAsked
    expect(asked?.toolCall).toMatchObject({
      title: 'Run a command',
      kind: 'execute',
      status: 'pending',
      rawInput: { command: 'echo permission' },
    })
    expect(asked?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'allow_always', 'reject_once'])
    expect(updates).toMatchObject([
      { sessionUpdate: 'tool_call_update', toolCallId: asked?.toolCall.toolCallId, status },
    ])
  })
  test('that is cancelled ends the turn as cancelled', async () => {
    outcome = { outcome: 'cancelled' }
    expect(await mock.prompt(session, 'permission')).toEqual({ stopReason: 'cancelled', updates: [] })
  })
  test('is asked for again after an "always"', async () => {
    outcome = { outcome: 'selected', optionId: 'allow_always' }
    await mock.prompt(session, 'permission')
    await mock.prompt(session, 'permission')
    expect(permissionsAsked).toHaveLength(2)
  })
})

describe('a question', () => {
  test.each([{ action: 'accept', content: { answer: 'Yes' } }, { action: 'decline' }, { action: 'cancel' }])(
    'that is answered with $action ends the turn',
    async answer => {
      form = answer
      expect(await mock.prompt(session, 'a question about a tool')).toEqual({ stopReason: 'end_turn', updates: [] })
      expect(formsAsked).toEqual([
        {
          mode: 'form',
          sessionId: session,
          message: 'Choose one option',
          requestedSchema: {
            type: 'object',
            properties: { answer: { type: 'string', title: 'Question', enum: ['Yes', 'No'] } },
            required: ['answer'],
          },
        },
      ])
    },
  )
})

test('an error is the answer to the request', async () => {
  await expect(mock.prompt(session, 'an Error, not a tool')).rejects.toMatchObject({
    code: -32603,
    message: 'mock process crashed',
  })
  expect(mock.updatesOf(session)).toEqual([])
})

test('a tool runs, and a file is named', async () => {
  const { stopReason, updates } = await mock.prompt(session, 'use a tool')
  expect(stopReason).toBe('end_turn')
  expect(updates).toMatchObject([
    { sessionUpdate: 'tool_call', title: 'echo tool', kind: 'execute', rawInput: { command: 'echo tool' } },
    {
      sessionUpdate: 'tool_call_update',
      status: 'completed',
      content: [{ content: { type: 'text', text: 'ok' } }, { type: 'diff', path: '/README.md', newText: 'tool\n' }],
    },
    {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'resource_link', name: 'README.md', mimeType: 'text/plain', uri: 'file:///README.md' },
    },
  ])
})

describe('anything else is echoed', () => {
  test.each([
    [['hello there'], 'hello there'],
    [[' \n'], 'OK'],
    [['first', 'a tool in the second block'], 'first\na tool in the second block'],
    [['please stream 5'], 'please stream 5'],
  ])('%j', async (blocks, text) => {
    const { stopReason, updates } = await mock.prompt(session, ...blocks)
    expect(stopReason).toBe('end_turn')
    expect(updates).toMatchObject([{ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }])
  })
  test('without what was put in front of it', async () => {
    const byMeta = { type: 'text', text: 'error', _meta: { 'rethread/replay': { upTo: 3 } } } as const
    const { updates } = await mock.prompt(session, byMeta, '[rethread replay] tool', 'hello')
    expect(textOf(updates)).toBe('hello')
    expect(textOf((await mock.prompt(session, 'history')).updates)).toBe('history=3 replays=2')
  })
})

describe('the first word', () => {
  test('stream N says N words in as many chunks of one message', async () => {
    const { updates } = await mock.prompt(session, 'Stream 4')
    expect(updates).toHaveLength(4)
    expect(textOf(updates)).toBe('word1 word2 word3 word4')
    expect(new Set(updates.map(update => 'messageId' in update && update.messageId)).size).toBe(1)
  })
  test('think is followed by the answer, in another message', async () => {
    const { updates } = await mock.prompt(session, 'think')
    expect(textOf(updates, 'agent_thought_chunk')).toContain('two ways')
    expect(textOf(updates)).toBe('I take the second way.')
    expect(new Set(updates.map(update => 'messageId' in update && update.messageId)).size).toBe(2)
  })
  test('plan goes through its three steps', async () => {
    const { updates } = await mock.prompt(session, 'plan')
    const plans = updates.flatMap(update => (update.sessionUpdate === 'plan' ? [update.entries] : []))
    const states = plans.map(entries => entries.map(({ status }) => status[0]).join(''))
    expect(states).toEqual(['ipp', 'cip', 'cci', 'ccc'])
  })
  test('markdown has a table', async () => {
    expect(textOf((await mock.prompt(session, 'markdown')).updates)).toContain('| a | 1 |')
  })
  test('history counts messages, this prompt included', async () => {
    await mock.prompt(session, 'stream 1')
    expect(textOf((await mock.prompt(session, 'history')).updates)).toBe('history=3 replays=0')
  })
  test('read FILE asks the client', async () => {
    const { updates } = await mock.prompt(session, 'read a.txt')
    expect(textOf(updates)).toBe('content of /project/a.txt')
    expect(updates).toMatchObject([{ kind: 'read' }, { status: 'completed' }, {}])
  })
  test('write FILE TEXT asks the client', async () => {
    const { updates } = await mock.prompt(session, 'write a/b.txt some\nlines of text')
    expect(written.get('/project/a/b.txt')).toBe('some\nlines of text')
    expect(updates).toMatchObject([
      { kind: 'edit' },
      { content: [{ type: 'diff', path: '/project/a/b.txt', newText: 'some\nlines of text' }] },
      {},
    ])
  })
  test('run COMMAND uses a terminal of the client', async () => {
    const { updates } = await mock.prompt(session, 'run ls -l')
    expect(textOf(updates)).toBe('exit=0\nran ls+-l')
    expect(updates[1]).toMatchObject({ content: [{ type: 'terminal', terminalId: 'ls+-l' }] })
    expect(mock.lines.some(line => line.includes('"terminal/release"'))).toBe(true)
  })
  test('mode goes to the next mode', async () => {
    const { updates } = await mock.prompt(session, 'mode')
    expect(updates[0]).toEqual({ sessionUpdate: 'current_mode_update', currentModeId: 'code' })
    expect(textOf((await mock.prompt(session, 'mode')).updates)).toBe('mode=ask')
  })
  test('title TEXT gives a title', async () => {
    const { updates } = await mock.prompt(session, 'title A new name')
    expect(updates[0]).toEqual({ sessionUpdate: 'session_info_update', title: 'A new name' })
  })
  test('commands announces a few commands, commands N announces N', async () => {
    const { updates } = await mock.prompt(session, 'commands')
    expect(updates[0]).toMatchObject({ availableCommands: [{ name: 'review' }, {}, {}, {}, {}] })
    expect((await mock.prompt(session, 'commands 0')).updates[0]).toMatchObject({ availableCommands: [] })
    expect(textOf((await mock.prompt(session, 'commands 7')).updates)).toBe('commands=7')
  })
})

test('everything that was sent so far matches the schema of the protocol', () => {
  expect(mock.lines.length).toBeGreaterThan(60)
  expect(mock.schemaFaults).toEqual([])
})

test('a message that does not match the schema would be found', () => {
  const line = (update: object) =>
    JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 'a', update } })
  const good = { sessionUpdate: 'tool_call', toolCallId: 'a', title: 'b', status: 'completed' }
  expect(findSchemaFault(line(good), new Map())).toBeUndefined()
  expect(findSchemaFault(line({ ...good, status: 'done' }), new Map())).toContain('SessionNotification')
  expect(findSchemaFault(line({ sessionUpdate: 'other' }), new Map())).toContain('SessionNotification')
})
