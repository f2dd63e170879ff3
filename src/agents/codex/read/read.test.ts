import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  answer,
  event,
  fixture,
  item,
  meta,
  OTHER,
  open,
  readText,
  record,
  SESSION,
  spoken,
  tokens,
  user,
} from '../../../../test/support/codex/sessions.ts'
import { lines } from '../../../../test/support/home.ts'
import { said } from '../../../../test/support/reading.ts'

test('the messages of a current session have roles, thoughts, calls, results, times, model and usage', async () => {
  const { messages, end } = await readText(fixture('complete-0.166.jsonl'))
  expect(messages.map(message => message.role)).toEqual([
    'system',
    'system',
    'user',
    'assistant',
    'assistant',
    'tool',
    'assistant',
  ])
  const [, , , thought, call, result, last] = messages
  expect(thought?.parts).toEqual([{ type: 'thinking', text: 'Look at the cart first.' }])
  expect(call?.parts).toEqual([
    { type: 'tool-call', id: 'call_1', name: 'exec_command', input: { cmd: 'cat cart.ts' } },
  ])
  expect(call?.usage).toEqual({ input: 100, output: 20, cacheRead: 40, reasoning: 5 })
  expect(result?.parts[0]).toMatchObject({ type: 'tool-result', id: 'call_1', isError: false })
  expect(last).toMatchObject({
    model: 'gpt-6-codex',
    time: '2026-11-01T10:00:10.100Z',
    usage: { input: 130, cacheRead: 100 },
  })
  expect(end.counts).toEqual({ records: 17, bookkeeping: 10, unknown: 0, skipped: 0 })
  expect(end.facts).toEqual({
    sessionId: SESSION,
    title: 'Add a price to the cart',
    project: '/home/dev/shop',
    startedAt: '2026-11-01T09:59:59.900Z',
    updatedAt: '2026-11-01T10:00:11.000Z',
    agentVersion: '0.166.0',
    model: 'gpt-6-codex',
  })
})

test('encrypted reasoning is never shown', async () => {
  const hidden = item({ type: 'reasoning', summary: [], encrypted_content: 'gAAAAABsecret' })
  const { messages, end } = await readText(fixture('complete-0.166.jsonl') + lines(hidden))
  expect(JSON.stringify(messages)).not.toContain('secret')
  expect(end.counts.bookkeeping).toBe(11)
})

test('in an old file, a token count belongs to the answer that comes after it', async () => {
  const { messages } = await readText(fixture('complete-0.40.jsonl'))
  expect(messages.map(message => message.usage?.input)).toEqual([undefined, undefined, 100, undefined, 130])
})

test('a file without envelopes has its folder in the context, and failed commands by their exit status', async () => {
  const { messages, end } = await readText(fixture('bare-2025.jsonl'))
  expect(end.facts).toEqual({
    sessionId: SESSION,
    title: 'Add a price to the cart',
    project: '/home/dev/shop',
    startedAt: '2025-06-20T10:00:00.000Z',
  })
  expect(messages.map(message => [message.role, message.time])).toEqual([
    ['system', null],
    ['user', null],
    ['assistant', null],
    ['assistant', null],
    ['tool', null],
    ['assistant', null],
  ])
  expect(messages[3]?.parts[0]).toMatchObject({ name: 'local_shell', input: { command: ['cat', 'cart.ts'] } })
  expect(messages[4]?.parts[0]).toMatchObject({ isError: true })
  expect(end.counts.bookkeeping).toBe(4)
})

test('the first header is the identity; later ones are copies from the thread it was forked from', async () => {
  const copied = meta({ id: OTHER, cwd: '/home/dev/elsewhere', forked_from_id: 'older' })
  const { messages, end } = await readText(
    lines(meta({ forked_from_id: OTHER }), copied, user('Asked before the fork'), user('Asked after')),
  )
  expect(end.facts).toMatchObject({ sessionId: SESSION, forkedFrom: OTHER, project: '/home/dev/shop' })
  expect(messages).toHaveLength(2)
})

test('a fork that only points to the history before it says so', async () => {
  const { messages } = await readText(
    lines(meta({ forked_from_id: OTHER, history_base: { ordinal: 7 } }), user('Go on')),
  )
  expect(spoken(messages)).toEqual([`The earlier conversation is stored in another thread: ${OTHER}.`, 'Go on'])
})

test.each([
  ['a source that says so', { source: { subagent: { thread_spawn: { parent_thread_id: OTHER, depth: 1 } } } }],
  ['its thread source', { source: 'cli', thread_source: 'subagent', parent_thread_id: OTHER }],
  ['the session it shares', { source: { subagent: 'review' }, session_id: OTHER }],
])('a sub-agent is known by %s', async (_, more) => {
  expect((await readText(lines(meta(more), user('Review this')))).end.facts.subagentOf).toBe(OTHER)
})

test('a thread of a person is not a sub-agent, even if it has a parent', async () => {
  const { facts } = (await readText(lines(meta({ source: 'cli', parent_thread_id: OTHER }), user('Hi')))).end
  expect(facts.subagentOf).toBeUndefined()
})

test.each([
  '<environment_context>\n<cwd>/home/dev/shop</cwd>\n</environment_context>',
  '<user_instructions>\n\nBe kind\n\n</user_instructions>',
  '# AGENTS.md instructions for /home/dev/shop\n\nUse vitest.',
  '# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>a</INSTRUCTIONS>\n\n<environment_context>b</environment_context>',
  '<permissions instructions>none</permissions instructions>',
  '<turn_aborted>\nThe person stopped it.\n</turn_aborted>',
])('what Codex puts in by itself is a notice: %s', async text => {
  const { messages, end } = await readText(lines(meta(), user(text), user('Real question')))
  expect(messages.map(message => [message.role, message.parts[0]?.type])).toEqual([
    ['system', 'notice'],
    ['user', 'text'],
  ])
  expect(end.facts.title).toBe('Real question')
})

test('a message that also holds what the person said stays theirs', async () => {
  const { messages } = await readText(
    lines(
      meta(),
      user('<environment_context>x</environment_context>', 'Why?'),
      user('<skill>a</skill> explain <skill>'),
    ),
  )
  expect(messages.map(message => message.role)).toEqual(['user', 'user'])
  expect(messages[0]?.parts.map(part => part.type)).toEqual(['notice', 'text'])
})

test('what an editor puts before a request is not in the title', async () => {
  const text = '# Context from my IDE setup:\n\n## Open tabs:\n- cart.ts\n\n## My request for Codex:\nAdd a price\n'
  expect((await readText(lines(meta(), user(text)))).end.facts.title).toBe('Add a price')
})

test('every kind of call and output becomes a call and a result', async () => {
  const patch = '*** Begin Patch\n*** End Patch'
  const { messages, end } = await readText(
    lines(
      meta(),
      item({ type: 'custom_tool_call', call_id: 'a', name: 'apply_patch', input: patch }),
      item({ type: 'custom_tool_call_output', call_id: 'a', output: 'Done' }),
      item({ type: 'function_call', call_id: 'b', name: 'find', namespace: 'mcp__files', arguments: '{"broken' }),
      item({ type: 'function_call_output', call_id: 'b', output: { content: 'no', success: false } }),
      item({ type: 'tool_search_call', call_id: 'c', execution: 'client', arguments: { query: 'git' } }),
      item({ type: 'tool_search_output', call_id: 'c', status: 'completed', tools: [{ name: 'git' }] }),
      item({ type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'cents' } }),
      item({
        type: 'image_generation_call',
        id: 'ig_1',
        status: 'completed',
        revised_prompt: 'a cart',
        result: 'iVBO',
      }),
      item({ type: 'function_call', call_id: 'd', name: 'view_image', arguments: '{}' }),
      item({
        type: 'function_call_output',
        call_id: 'd',
        output: [
          { type: 'input_text', text: 'seen' },
          { type: 'input_image', image_url: 'data:image/png;base64,iVBO' },
        ],
      }),
      item({ type: 'ghost_snapshot', ghost_commit: { id: 'f00' } }),
    ),
  )
  const parts = messages.flatMap(message => message.parts)
  const ids = (type: string) => parts.flatMap(part => (part.type === type && 'id' in part ? [part.id] : []))
  expect(ids('tool-call')).toEqual(['a', 'b', 'c', 'ws_1', 'ig_1', 'd'])
  expect(ids('tool-result')).toEqual(ids('tool-call'))
  expect(parts).toContainEqual({ type: 'tool-call', id: 'a', name: 'apply_patch', input: patch })
  expect(parts).toContainEqual({ type: 'tool-call', id: 'b', name: 'mcp__files.find', input: '{"broken' })
  expect(parts).toContainEqual({ type: 'tool-result', id: 'b', output: 'no', isError: true })
  expect(parts).toContainEqual({
    type: 'tool-call',
    id: 'ws_1',
    name: 'web_search',
    input: { type: 'search', query: 'cents' },
  })
  expect(parts).toContainEqual({ type: 'file', name: null, mime: 'image/png', source: 'inline', reference: null })
  expect(JSON.stringify(messages)).not.toContain('iVBO')
  expect(end.counts).toMatchObject({ unknown: 0, bookkeeping: 2 })
})

test('events that repeat the conversation are bookkeeping where there are response items', async () => {
  const repeated = [event({ type: 'user_message', message: 'Hi' }), event({ type: 'agent_message', message: 'Hello' })]
  const { messages, end } = await readText(lines(meta(), user('Hi'), answer('Hello'), ...repeated))
  expect(said(messages)).toHaveLength(2)
  expect(end.counts.bookkeeping).toBe(3)
})

test.each([
  ['missing', ''],
  ['torn', JSON.stringify(answer('Hello, person')).slice(0, -40)],
])('an answer whose item is %s is shown from its event, with a finding', async (_name, torn) => {
  const spoken = event({ type: 'agent_message', message: 'Hello, person' })
  const thought = event({ type: 'agent_reasoning', text: 'A greeting' })
  const text = `${lines(meta(), user('Hi'), thought, spoken)}${torn}\n${lines(user('More'), answer('Sure'))}`
  const { messages, end } = await readText(text)
  expect(said(messages)).toEqual([
    'user: {"type":"text","text":"Hi"}',
    'assistant: {"type":"thinking","text":"A greeting"}',
    'assistant: {"type":"text","text":"Hello, person"}',
    'user: {"type":"text","text":"More"}',
    'assistant: {"type":"text","text":"Sure"}',
  ])
  expect(end.findings.filter(({ damage }) => damage === 'item-only-in-event')).toHaveLength(2)
})

test('an event is shown once for each time that its item is missing', async () => {
  const spoken = (hour: number) => ({
    ...event({ type: 'agent_message', message: 'Yes' }),
    timestamp: `2026-11-01T1${hour}:00:00.000Z`,
  })
  const { messages } = await readText(
    lines(meta(), user('A'), spoken(1), answer('Yes'), user('B'), spoken(2), user('C'), spoken(3)),
  )
  expect(said(messages).filter(line => line.includes('Yes'))).toHaveLength(3)
})

test('an event at the end is shown until its item comes', async () => {
  const { file, read } = await open(lines(meta(), user('Hi'), event({ type: 'agent_message', message: 'Hello' })))
  const first = await read()
  expect(said(first.messages)).toHaveLength(2)
  appendFileSync(file, lines(answer('Hello')))
  const again = await read({ after: first.end.checkpoint })
  expect(again.end.continued).toBe(false)
  expect(said(again.messages)).toHaveLength(2)
})

test('events are shown where there is nothing else', async () => {
  const { messages, end } = await readText(
    lines(
      meta(),
      event({ type: 'user_message', message: 'Hi, "response_item"', images: ['https://example.org/a.png'] }),
      event({ type: 'agent_reasoning', text: 'A greeting' }),
      event({ type: 'agent_message', message: 'Hello' }),
      event({ type: 'item_completed', item: { type: 'UserMessage', content: [{ type: 'text', text: 'Bye' }] } }),
      event({ type: 'item_completed', item: { type: 'AgentMessage', content: [{ type: 'Text', text: 'See you' }] } }),
    ),
  )
  expect(messages.map(message => message.role)).toEqual(['user', 'assistant', 'assistant', 'user', 'assistant'])
  expect(messages[0]?.parts[1]).toMatchObject({ type: 'file', source: 'url', reference: 'https://example.org/a.png' })
  expect(end.facts.title).toBe('Hi, "response_item"')
})

test('a session that was read from its events is read again when response items come', async () => {
  const { file, read } = await open(lines(meta(), event({ type: 'user_message', message: 'Hi' })))
  const first = await read()
  expect(first.messages).toHaveLength(1)
  appendFileSync(file, lines(user('Hi'), answer('Hello')))
  const again = await read({ after: first.end.checkpoint })
  expect(again.end.continued).toBe(false)
  expect(said(again.messages)).toHaveLength(2)
})

test('interruptions, errors and compactions are notices, and a compaction is reported once', async () => {
  const { messages } = await readText(
    lines(
      meta(),
      user('Hi'),
      event({ type: 'turn_aborted', reason: 'interrupted' }),
      event({ type: 'error', message: 'quota exceeded' }),
      record('compacted', { message: 'They said hi.', replacement_history: [] }),
      event({ type: 'context_compacted' }),
      answer('Hello'),
      event({ type: 'context_compacted' }),
    ),
  )
  const notices = messages.filter(message => message.role === 'system').map(message => message.parts)
  expect(notices).toHaveLength(4)
  expect(notices.slice(0, 2).flat()).toEqual([
    { type: 'notice', text: 'The turn ended early: interrupted.' },
    { type: 'notice', text: 'Error: quota exceeded' },
  ])
  expect(notices[2]?.[1]).toEqual({ type: 'notice', text: 'They said hi.' })
})

test('a record of an unknown type is shown as such and counted', async () => {
  const { messages, end } = await readText(
    lines(meta(), record('hologram', { a: 1 }), item({ type: 'dream' }), event({ type: 'sneeze' }), { odd: true }),
  )
  expect(messages.flatMap(message => message.parts.map(part => part.type === 'unknown' && part.recordType))).toEqual([
    'hologram',
    'response_item/dream',
    'event_msg/sneeze',
    '(none)',
  ])
  expect(end.counts.unknown).toBe(4)
})

test('a thought whose text is in another field is shown as unknown and counted', async () => {
  const moved = item({ type: 'reasoning', summary: [{ type: 'summary_text', words: 'A greeting' }] })
  const partly = item({
    type: 'reasoning',
    summary: [{ text: 'A greeting' }],
    content: [{ type: 'text', words: 'in full' }],
  })
  const { messages, end } = await readText(lines(meta(), user('Hi'), moved, partly))
  const shown = JSON.stringify(messages)
  expect(shown).toContain('"words":"A greeting"')
  expect(shown).toContain('"words":"in full"')
  expect(end.counts.unknown).toBe(2)
})

test('a repeated token count is not counted again', async () => {
  const { messages } = await readText(
    lines(meta(), user('Hi'), answer('One'), tokens(10), tokens(10), user('More'), answer('Two'), tokens(30, 20)),
  )
  expect(messages.map(message => message.usage?.output)).toEqual([undefined, 10, undefined, 20])
})

test('a token count that comes after the result of the call still belongs to the call', async () => {
  const call = item({ type: 'function_call', call_id: 'a', name: 'ls', arguments: '{}' })
  const output = item({ type: 'function_call_output', call_id: 'a', output: 'cart.ts' })
  const { messages } = await readText(
    lines(meta(), user('Hi'), call, output, tokens(10), answer('One'), tokens(30, 20)),
  )
  expect(messages.map(message => message.usage?.output)).toEqual([undefined, 10, undefined, 20])
})

test('a token count that is appended later completes the message that was given before', async () => {
  const { file, read } = await open(lines(meta(), user('Hi'), answer('Hello')))
  const first = await read()
  appendFileSync(file, lines(tokens(10)))
  const { messages, end } = await read({ after: first.end.checkpoint })
  expect(end.continued).toBe(true)
  expect(messages).toEqual([{ ...first.messages[1], usage: { input: 9, output: 10 } }])
})

test('a record that lost its last brace is torn, not a record of the old shape', async () => {
  const torn = lines(answer('Hello')).slice(0, -2)
  const { messages, end } = await readText(lines(meta(), user('Hi')) + torn)
  expect(messages).toHaveLength(1)
  expect(end.findings.map(finding => finding.damage)).toEqual(['torn-tail'])
})

test('a loss in the middle is a finding, and the rest is read', async () => {
  const torn = lines(answer('Lost')).slice(0, 60)
  const { messages, end } = await readText(`${lines(meta(), user('Hi'))}${torn}\n${lines(answer('Kept'))}`)
  expect(spoken(messages)).toEqual(['Hi', 'Kept'])
  expect(end.type === 'partial' && end.error.code).toBe('records-unreadable')
})
