import { appendFileSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { environmentOf, lines, put, temporaryHome } from '../../../../test/support/home.ts'
import {
  CALL,
  CLI,
  CLI_LOG,
  CLI_METADATA,
  entry,
  event,
  firstParts,
  fixture,
  prompt,
  readSession,
  rolesOf,
  V3,
  V3_FOLDER,
} from '../../../../test/support/kiro/store.ts'
import { viewOf } from '../../../../test/support/log-view.ts'
import { findSession, readFrom, resumeFrom } from '../../../../test/support/reading.ts'
import { collect, isPartial } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import { resumeOf } from '../../resume.ts'
import { kiro } from '../index.ts'
import { repair } from './repair.ts'

const countLoaded = (session: SessionRef): number => repair.load(viewOf(session, repair)).messages

describe('kiro cli', () => {
  const readLog = (log: string) => {
    const home = temporaryHome()
    put(home, CLI_LOG, log)
    put(home, CLI_METADATA, fixture('cli-complete.json'))
    return readSession(home, CLI)
  }

  test('lines are prompts, answers with thoughts and calls, and results', async () => {
    const { messages, end, session } = await readLog(fixture('cli-complete.jsonl').toString())
    expect(rolesOf(messages)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(messages[0]?.time).toBe('2026-11-01T10:00:00.250Z')
    expect(messages[1]?.parts).toEqual([
      { type: 'thinking', text: 'Tests first.' },
      { ...CALL, name: 'shell' },
    ])
    expect(firstParts(messages)[2]).toEqual({ type: 'tool-result', id: 't1', output: '1 failed', isError: true })
    expect(end.facts).toEqual({
      sessionId: CLI,
      title: 'The basket total is wrong',
      project: '/home/dev/shop',
      startedAt: '2026-11-01T10:00:00.250Z',
      updatedAt: '2026-11-01T10:00:09.000Z',
      model: 'claude-sonnet-4.6',
    })
    expect(session).toMatchObject({ title: 'The basket total is wrong', project: '/home/dev/shop' })
    expect(resumeOf(kiro, session, end.facts)).toEqual({
      type: 'command',
      program: { command: 'kiro-cli', args: ['chat', '--resume-id', CLI] },
      folder: '/home/dev/shop',
    })
  })

  test('a missing metadata file does not hide the conversation', async () => {
    const home = temporaryHome()
    put(home, CLI_LOG, fixture('cli-complete.jsonl'))
    const { messages, end } = await readSession(home, CLI)
    expect(messages).toHaveLength(4)
    expect(end.type).toBe('complete')
    expect(end.facts.title).toBe('The basket total is wrong')
    expect(end.findings).toMatchObject([{ damage: 'missing-metadata', severity: 'survived' }])
  })

  test('nor does a damaged one, and what can be read of it counts', async () => {
    const home = temporaryHome()
    put(home, CLI_LOG, fixture('cli-complete.jsonl'))
    const metadata = fixture('cli-complete.json')
    put(home, CLI_METADATA, metadata.subarray(0, metadata.indexOf('created_at')))
    const { session, messages, end } = await readSession(home, CLI)
    expect(session.project).toBe('/home/dev/shop')
    expect(messages).toHaveLength(4)
    expect(end.facts.project).toBe('/home/dev/shop')
    expect(end.findings).toMatchObject([{ damage: 'malformed-metadata', severity: 'survived' }])
  })

  test('a missing log does not hide the facts of the session', async () => {
    const home = temporaryHome()
    put(home, CLI_METADATA, fixture('cli-complete.json'))
    const { session, messages, end } = await readSession(home, CLI)
    expect(session.title).toBe('The basket total is wrong')
    expect(messages).toEqual([])
    expect(isPartial(end) && end.recovered).toBe(false)
    expect(end.facts.title).toBe('The basket total is wrong')
    expect(end.findings).toMatchObject([{ damage: 'missing-log', severity: 'lost' }])
  })

  test('a log that comes back after it was missed is read', async () => {
    const home = temporaryHome()
    put(home, CLI_METADATA, fixture('cli-complete.json'))
    const session = await findSession(kiro, environmentOf(home), CLI)
    put(home, CLI_LOG, fixture('cli-complete.jsonl'))
    expect((await collect(readFrom(kiro, session))).messages).toHaveLength(4)
  })

  test('its identity changes with either file', async () => {
    const home = temporaryHome()
    put(home, CLI_LOG, fixture('cli-complete.jsonl'))
    const identity = async () => (await findSession(kiro, environmentOf(home), CLI)).identity
    const alone = await identity()
    const path = put(home, CLI_METADATA, '{"title":"A"}')
    const both = await identity()
    rmSync(path)
    put(home, CLI_METADATA, '{"title":"Another"}')
    expect(new Set([alone, both, await identity()]).size).toBe(3)
  })

  test('compaction, resets and cancelled prompts are notices; an unknown kind is shown', async () => {
    const { messages, end } = await readLog(
      lines(
        prompt('Go on'),
        entry('Compaction', { summary: 'They fixed the tax.', messages_snapshot: [] }),
        entry('ResetTo', { target_index: 2 }),
        { version: 'v1', kind: 'CancelledPrompt' },
        { version: 'v1', kind: 'Clear' },
        entry('Telepathy', { content: [] }),
      ),
    )
    expect(rolesOf(messages)).toEqual(['user', 'system', 'system', 'system', 'system', 'system'])
    expect(firstParts(messages)[1]).toMatchObject({
      type: 'notice',
      text: expect.stringContaining('They fixed the tax.'),
    })
    expect(firstParts(messages)[5]).toMatchObject({ type: 'unknown', recordType: 'Telepathy' })
    expect(end.counts).toEqual({ records: 6, bookkeeping: 0, unknown: 1, skipped: 0 })
  })

  test('either spelling is understood, images are files, and an unknown block is shown', async () => {
    const { messages } = await readLog(
      lines(
        entry('AssistantMessage', {
          content: [
            { kind: 'tool_use', data: { tool_use_id: 't1', name: 'read', input: {} } },
            { kind: 'image', data: { format: 'png', source: { kind: 'bytes', data: [1] } } },
            { kind: 'hologram', data: 1 },
          ],
        }),
        entry('ToolResults', {
          content: [{ kind: 'text', data: 'And go on' }],
          results: { t1: { result: { Success: 'ok' } } },
        }),
      ),
    )
    expect(messages[0]?.parts).toEqual([
      { type: 'tool-call', id: 't1', name: 'read', input: {} },
      { type: 'file', name: null, mime: 'image/png', source: 'inline', reference: null },
      { type: 'unknown', recordType: 'hologram', value: { kind: 'hologram', data: 1 } },
    ])
    expect(messages.slice(1).map(({ role, parts }) => [role, parts])).toEqual([
      ['tool', [{ type: 'tool-result', id: 't1', output: '{"Success":"ok"}', isError: false }]],
      ['user', [{ type: 'text', text: 'And go on' }]],
    ])
  })

  test('a session made by another one names it', async () => {
    const home = temporaryHome()
    put(home, CLI_LOG, fixture('cli-complete.jsonl'))
    put(home, CLI_METADATA, JSON.stringify({ parent_session_id: 'parent', session_created_reason: 'subagent' }))
    const { session, end } = await readSession(home, CLI)
    expect(session.subagentOf).toBe('parent')
    expect(end.facts.subagentOf).toBe('parent')
    put(home, CLI_METADATA, JSON.stringify({ parent_session_id: 'parent', session_created_reason: 'fork' }))
    expect((await readSession(home, CLI)).end.facts).toMatchObject({ forkedFrom: 'parent' })
  })
})

describe('kiro v3', () => {
  test('events are messages, and bookkeeping such as usage is counted', async () => {
    const home = temporaryHome()
    put(home, `${V3_FOLDER}/session.json`, fixture('v3-session.json'))
    put(home, `${V3_FOLDER}/messages.jsonl`, fixture('v3-messages.jsonl'))
    const { session, messages, end } = await readSession(home, V3)
    expect(rolesOf(messages)).toEqual(['user', 'assistant', 'assistant', 'tool', 'assistant'])
    expect(firstParts(messages).slice(1, 4)).toEqual([
      { type: 'thinking', text: '...' },
      { ...CALL, name: 'execute_bash' },
      { type: 'tool-result', id: 't1', output: '1 failed', isError: true },
    ])
    expect(end.counts).toEqual({ records: 7, bookkeeping: 2, unknown: 0, skipped: 0 })
    expect(end.facts).toMatchObject({
      sessionId: V3,
      title: 'Fix the basket total',
      project: '/home/dev/shop',
      model: 'auto',
    })
    expect(resumeOf(kiro, session, end.facts)).toMatchObject({
      program: { args: ['chat', '--resume-id', V3] },
      folder: '/home/dev/shop',
    })
  })

  test('the log of a sub-agent is a separate session, and cannot be resumed on its own', async () => {
    const home = temporaryHome()
    put(home, `${V3_FOLDER}/messages.jsonl`, fixture('v3-messages.jsonl'))
    put(home, `${V3_FOLDER}/sub-executions/sub-1.jsonl`, lines(event({ type: 'user', content: 'Search' })))
    const { session, end } = await readSession(home, 'sub-1')
    expect(session.subagentOf).toBe(V3)
    expect(end).toMatchObject({ type: 'complete', findings: [], facts: { subagentOf: V3, title: 'Search' } })
    expect(resumeFrom(kiro, session, end.facts).type).toBe('unsupported')
  })

  test('unknown events, and instructions the agent injects, are shown but no part of the talk', async () => {
    const home = temporaryHome()
    const events = [event({ type: 'session_start', content: 'You are Kiro.' }), event({ type: 'dream', content: 'x' })]
    put(home, `${V3_FOLDER}/messages.jsonl`, lines(...events))
    const { messages, end } = await readSession(home, V3)
    expect(rolesOf(messages)).toEqual(['system', 'system'])
    expect(end.counts.unknown).toBe(1)
  })

  test('a folder without its log is still found', async () => {
    const home = temporaryHome()
    put(home, `${V3_FOLDER}/session.json`, fixture('v3-session.json'))
    const { end } = await readSession(home, V3)
    expect(end.findings).toMatchObject([{ damage: 'missing-log' }])
  })

  test('flat lines of early versions are messages too', async () => {
    const home = temporaryHome()
    const timestamp = '2026-11-01T10:00:00.000Z'
    const flat = [
      { role: 'user', content: 'The basket total is wrong', timestamp },
      { role: 'assistant', content: [{ type: 'text', text: 'Tests first.' }], timestamp },
      { role: 'prompt', content: 'Go on' },
      { role: 'bot', content: 'The tax was added twice.' },
      { role: 'oracle', content: 'Beware of the tax' },
    ]
    put(home, `${V3_FOLDER}/messages.jsonl`, lines(...flat))
    const { messages, end } = await readSession(home, V3)
    expect(rolesOf(messages)).toEqual(['user', 'assistant', 'user', 'assistant', 'system'])
    expect(firstParts(messages).slice(0, 4)).toEqual([
      { type: 'text', text: 'The basket total is wrong' },
      { type: 'text', text: 'Tests first.' },
      { type: 'text', text: 'Go on' },
      { type: 'text', text: 'The tax was added twice.' },
    ])
    expect(messages[0]?.time).toBe(timestamp)
    expect(end.counts).toEqual({ records: 5, bookkeeping: 0, unknown: 1, skipped: 0 })
  })

  test('a state of a tool call that says nothing new is not shown again', async () => {
    const home = temporaryHome()
    const call = { type: 'tool_call', toolCallId: 't1', toolName: 'execute_bash' }
    const result = { type: 'tool_result', toolCallId: 't1', content: '1 failed', success: false }
    const args = { command: 'npm test' }
    const records = [
      event({ type: 'user', content: 'Test it' }),
      event({ ...call, args, status: 'pending' }),
      event({ type: 'pending_interaction', toolCallId: 't1' }),
      event({ ...call, status: 'approved' }),
      event({ ...call, args, status: 'completed' }),
      event(result),
      event(result),
      event({ ...call, args: { command: 'npm run lint' } }),
      event({ type: 'user', content: 'Again' }),
      event({ ...call, args }),
    ]
    put(home, `${V3_FOLDER}/messages.jsonl`, lines(...records))
    const { session, messages, end } = await readSession(home, V3)
    expect(rolesOf(messages)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user', 'assistant'])
    expect(end.counts).toEqual({ records: 10, bookkeeping: 4, unknown: 0, skipped: 0 })
    expect(countLoaded(session)).toBe(6)
  })
})

describe('an answer that was streamed', () => {
  const piece = (text: string, id = 'm1') =>
    entry('AssistantMessage', { message_id: id, content: [{ kind: 'text', data: text }] })

  test('is one message, and a check counts it so', async () => {
    const home = temporaryHome()
    const call = { kind: 'toolUse', data: { toolUseId: 't1', name: 'shell', input: { command: 'npm test' } } }
    const last = entry('AssistantMessage', { message_id: 'm1', content: [{ kind: 'text', data: ' twice.' }, call] })
    const result = entry('ToolResults', {
      message_id: 'm2',
      content: [{ kind: 'toolResult', data: { toolUseId: 't1', content: 'ok' } }],
    })
    put(home, CLI_LOG, lines(prompt('Why?'), piece('The tax '), piece('was added'), last, result, piece('Done.', 'm3')))
    put(home, CLI_METADATA, fixture('cli-complete.json'))
    const { session, messages } = await readSession(home, CLI)
    expect(rolesOf(messages)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(messages[1]?.parts).toEqual([
      { type: 'text', text: 'The tax was added twice.' },
      { ...CALL, name: 'shell' },
    ])
    expect(countLoaded(session)).toBe(4)
  })

  test('is read again whole when its next piece arrives after a reading', async () => {
    const home = temporaryHome()
    const file = put(home, CLI_LOG, lines(prompt('Why?'), piece('The tax ')))
    const first = await readSession(home, CLI)
    appendFileSync(file, lines(piece('was added twice.')))
    const second = await collect(readFrom(kiro, first.session, { after: first.end.checkpoint }))
    expect(second.end.continued).toBe(false)
    expect(firstParts(second.messages)[1]).toEqual({ type: 'text', text: 'The tax was added twice.' })
    appendFileSync(file, lines(prompt('And now?')))
    const third = await collect(readFrom(kiro, first.session, { after: second.end.checkpoint }))
    expect(third.end.continued).toBe(true)
    expect(rolesOf(third.messages)).toEqual(['user'])
  })
})
