// The real command, as an editor starts it: what was on the screen when it was killed is there again.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findLeftProcesses } from '../../src/disk/processes/process-identity.ts'
import { markOf } from '../../src/journal/connection/agent-process.ts'
import { rethread } from '../support/cli.ts'
import { runSql } from '../support/database.ts'
import { connectEditor, type Editor, textOf } from '../support/editor.ts'
import { temporaryHome } from '../support/home.ts'
import { rethreadBin } from '../support/package.ts'
import { say } from '../support/talk.ts'

type Started = Omit<Editor, 'close'> & { child: ChildProcessWithoutNullStreams; project: string }

async function start(home: string): Promise<Started> {
  const project = join(home, 'project')
  mkdirSync(project, { recursive: true })
  const args = [rethreadBin, '--home', home, '--state', join(home, 'state'), 'acp', '--agent', 'mock']
  const child = spawn(process.execPath, args, { cwd: project, stdio: 'pipe' })
  child.stderr.pipe(process.stderr)
  onTestFinished(() => void child.kill('SIGKILL'))
  const editor = connectEditor(child.stdout, child.stdin)
  await editor.agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
  return { ...editor, child, project }
}

async function begin({ agent, project }: Started): Promise<string> {
  return (await agent.request('session/new', { cwd: project, mcpServers: [] })).sessionId
}

test('killed in the middle of an answer, it tells the editor what there was, lists it, and the agent goes on with it', async () => {
  const home = temporaryHome()
  const first = await start(home)
  const sessionId = await begin(first)
  await first.agent.request('session/prompt', { sessionId, ...say('remember the apple') })
  first.agent.request('session/prompt', { sessionId, ...say('slow') }).catch(() => undefined)
  const seen = (): string => textOf(first.updates, 'agent_message_chunk')
  await expect.poll(() => seen().length).toBeGreaterThan('remember the apple'.length + 5)
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  const shown = await rethread(home, '--state', join(home, 'state'), 'show', sessionId, '--no-pager')
  expect(shown.stdout).toContain('remember the apple')
  const second = await start(home)
  await second.agent.request('session/load', { sessionId, cwd: second.project, mcpServers: [] })
  expect(textOf(second.updates, 'agent_message_chunk').startsWith(seen())).toBe(true)
  await second.agent.request('session/prompt', { sessionId, ...say('history') })
  expect(textOf(second.updates, 'agent_message_chunk')).toContain('replays=1')
  second.child.stdin.end()
  expect((await once(second.child, 'exit'))[0]).toBe(0)
})

test('nothing is left of the agents when the editor closes its side, and when it is asked to end by a signal', async () => {
  const home = temporaryHome()
  for (const end of [closeInput, terminate]) {
    const editor = await start(home)
    await begin(editor)
    end(editor.child)
    expect((await once(editor.child, 'exit'))[0]).toBe(0)
  }
  const rows = runSql(join(home, 'state', 'journal.sqlite'), 'SELECT id, ended_at FROM connections')
  expect(rows).toHaveLength(2)
  for (const { id, ended_at } of rows) {
    expect(ended_at).not.toBeNull()
    expect(findLeftProcesses(undefined, markOf(String(id)))).toEqual([])
  }
})

function closeInput(child: ChildProcessWithoutNullStreams): void {
  child.stdin.end()
}

function terminate(child: ChildProcessWithoutNullStreams): void {
  child.kill('SIGTERM')
}

test('a name that is not configured is said before an editor waits; without a name it is the default agent', async () => {
  const home = temporaryHome()
  const wrong = await rethread(home, '--state', join(home, 'state'), 'acp', '--agent', 'nobody')
  expect(wrong).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('mock') })
  const none = await rethread(home, '--state', join(home, 'state'), 'acp')
  expect(none).toMatchObject({ status: 0, stdout: '', stderr: '' })
})
