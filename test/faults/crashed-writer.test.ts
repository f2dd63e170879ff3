// The moment after a crash: the file was written a second ago, its last line is torn, and its writer is dead. And the moment before: it is not.

import { spawn } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ServerMessageOf } from '../../src/server/protocol.ts'
import { rethread, rethreadWith } from '../support/cli.ts'
import type { Conversation } from '../support/conversations.ts'
import { AGENT, messageLine, putConversation } from '../support/conversations.ts'
import { put, temporaryHome } from '../support/home.ts'
import type { LiveAgent } from '../support/live-agent.ts'
import { startLiveAgent } from '../support/live-agent.ts'
import { rethreadBin } from '../support/package.ts'
import { ownStage } from '../support/server.ts'
import type { SocketClient } from '../support/socket-client.ts'

const SIZE = { cols: 80, rows: 24 }

/** Killed with half of the twelfth message on the disk. */
async function crash(home: string, conversation: Conversation): Promise<void> {
  const whole = messageLine(conversation, 11)
  const half = messageLine(conversation, 12).slice(0, 60)
  const agent = startLiveAgent({ home, file: conversation.file, pieces: [whole, half], name: 'claude', everyMs: 1 })
  while ((await agent.heard()) !== 'wrote 2');
  await agent.kill()
  expect(readFileSync(conversation.file, 'utf8').endsWith(half)).toBe(true)
}

/** Over and over half a line and the rest of it, on a log whose seventh message has lost its link. */
function startWriting(home: string, conversation: Conversation): LiveAgent {
  const line = messageLine(conversation, 11)
  const pieces = [line.slice(0, 80), line.slice(80)]
  return startLiveAgent({ home, file: conversation.file, pieces, isEndless: true })
}

function putAgent(home: string): Record<string, string> {
  chmodSync(put(home, 'bin/claude', '#!/bin/sh\necho "started with $*"\n'), 0o755)
  return { PATH: `${join(home, 'bin')}:${process.env['PATH']}` }
}

function create(client: SocketClient, { id }: Conversation): (message: { requestId?: string | undefined }) => boolean {
  client.send({ type: 'terminal.create', requestId: 'r1', agent: AGENT, resumeSessionId: id, ...SIZE })
  return message => message.requestId === 'r1'
}

const waitsOf = (client: SocketClient): ServerMessageOf<'terminal.waiting'>[] =>
  client.got.flatMap(message => (message.type === 'terminal.waiting' ? [message] : []))

describe.runIf(process.platform === 'linux')('a writer that was killed in the middle of a line', () => {
  test('is not waited for by check: what it left is damage', async () => {
    const home = temporaryHome()
    const conversation = putConversation(home, 1)
    await crash(home, conversation)
    const { stdout, status } = await rethread(home, 'check', conversation.id, '--json')
    expect(JSON.parse(stdout).sessions).toMatchObject([{ status: 'corrupted', findings: [{ damage: 'torn-tail' }] }])
    expect(status).toBe(3)
  })

  test.each([
    ['repair', []],
    ['repair --all', ['repair', '--all']],
    ['resume', []],
  ])('is not waited for by %s: the session is repaired at once', async (command, all) => {
    const home = temporaryHome()
    const conversation = putConversation(home, 1)
    await crash(home, conversation)
    const args = all.length > 0 ? all : [command, conversation.id]
    const { stdout, stderr, status } = await rethreadWith(home, putAgent(home), ...args)
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('Going on')])
    expect(`${stdout}${stderr}`).toMatch(/Repaired with \d+ edit/)
    if (command === 'resume') expect(stdout).toContain(`started with --resume ${conversation.id}`)
    const [session] = JSON.parse((await rethread(home, 'check', conversation.id, '--json')).stdout).sessions
    expect(session).toMatchObject({ status: 'healthy', messageCount: 11 })
  })

  test('is not waited for by the socket: the agent starts by itself, after the repair', async () => {
    const stage = await ownStage(home => void putConversation(home, 1))
    const conversation = putConversation(stage.home, 1)
    await stage.checked()
    const client = await stage.client()
    await crash(stage.home, conversation)
    const isAnswer = create(client, conversation)
    expect(await client.sees('terminal.created', isAnswer)).toMatchObject({ notice: { kind: 'repaired' } })
    expect(waitsOf(client).map(({ phase }) => phase)).toEqual(['checking', 'repairing'])
  })
})

describe('a writer that is alive', () => {
  test('is waited for by repair, which changes nothing before it is gone, and then repairs', async () => {
    const home = temporaryHome()
    const conversation = putConversation(home, 1, { brokenAt: 7 })
    const writer = startWriting(home, conversation)
    await writer.heard()
    const child = spawn(process.execPath, [rethreadBin, '--home', home, 'repair', conversation.id, '--json'])
    onTestFinished(() => void child.kill('SIGKILL'))
    const stdout = text(child.stdout)
    let stderr = ''
    child.stderr.on('data', chunk => (stderr += String(chunk)))
    await expect.poll(() => stderr).toMatch(/Continuing in \d+ seconds? if nothing more is written/)
    // Longer than the pause after which a quiet file counts as finished.
    const waited = writer.said.length + 15
    while (writer.said.length < waited) await writer.heard()
    await writer.kill()
    expect(writer.said).not.toContain('altered')
    expect(JSON.parse(await stdout).sessions).toMatchObject([{ repair: { status: 'repaired' } }])
  })

  test('is waited for by the socket, with a countdown, and the agent starts by itself when it is gone', async () => {
    const stage = await ownStage(home => void putConversation(home, 1, { brokenAt: 7 }))
    const conversation = putConversation(stage.home, 1, { brokenAt: 7 })
    await stage.checked()
    const client = await stage.client()
    const writer = startWriting(stage.home, conversation)
    await writer.heard()
    const isAnswer = create(client, conversation)
    await client.sees('terminal.waiting', ({ phase }) => phase === 'busy')
    // Choosing to wait does what is being done already.
    client.send({ type: 'terminal.choose', requestId: 'r1', choice: 'wait' })
    await client.until(() => waitsOf(client).filter(({ phase }) => phase === 'busy').length > 3, 'a countdown')
    for (const { phase, secondsLeft, text: words, choices } of waitsOf(client)) {
      if (phase !== 'busy') continue
      expect(words).toContain(`starts in ${secondsLeft} second`)
      expect(words).not.toContain('--force')
      expect(choices).toEqual(['without-repair', 'cancel'])
    }
    expect(client.got.filter(({ type }) => type === 'terminal.created' || type === 'error')).toEqual([])
    await writer.kill()
    expect(writer.said).not.toContain('altered')
    expect(await client.sees('terminal.created', isAnswer)).toMatchObject({ notice: { kind: 'repaired' } })
  })

  test('by the name of its agent is waited for even where it is silent, and no longer than ten seconds', async () => {
    const stage = await ownStage(home => void putConversation(home, 1, { brokenAt: 7 }))
    const conversation = putConversation(stage.home, 1, { brokenAt: 7 })
    await stage.checked()
    const client = await stage.client()
    const pieces = [messageLine(conversation, 11).slice(0, 60)]
    const { folder, file } = conversation
    const agent = startLiveAgent({ home: stage.home, file, pieces, name: 'claude', folder })
    await agent.heard()
    const isAnswer = create(client, conversation)
    const { secondsLeft } = await client.sees('terminal.waiting', ({ phase }) => phase === 'busy')
    expect(secondsLeft).toBeLessThanOrEqual(10)
    expect(await client.sees('terminal.created', isAnswer)).toMatchObject({ notice: { kind: 'repaired' } })
    const left = waitsOf(client).flatMap(({ secondsLeft: seconds }) => seconds ?? [])
    expect(left).toEqual([...left].sort((one, other) => other - one))
  })
})
