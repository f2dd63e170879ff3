// An editor that runs `rethread acp`, and a server on the same journal, both as processes of their own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { connectEditor } from './editor.ts'
import { EventLog } from './event-log.ts'
import { rethreadBin } from './package.ts'
import { serve } from './serve.ts'

export async function startEditor(home: string) {
  const project = join(home, 'project')
  mkdirSync(project, { recursive: true })
  const args = [rethreadBin, '--home', home, '--state', join(home, 'state-of-rethread'), 'acp', '--agent', 'mock']
  const child = spawn(process.execPath, args, { cwd: project, stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const editor = connectEditor(child.stdout, child.stdin)
  await editor.agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
  const { sessionId } = await editor.agent.request('session/new', { cwd: project, mcpServers: [] })
  const close = async (): Promise<void> => {
    child.stdin.end()
    await once(child, 'exit')
  }
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { ...editor, sessionId, close, kill }
}

export async function startServer(home: string) {
  const served = await serve(home)
  const authorization = `Bearer ${served.token}`
  const opencode = async (path: string, init: RequestInit = {}) =>
    await fetch(`http://127.0.0.1:${served.port}/opencode${path}`, { ...init, headers: { authorization } })
  const log = new EventLog(await opencode('/event'))
  await log.until(({ type }) => type === 'server.connected')
  // So that the stream of events ends, instead of being cut off.
  const stop = async (): Promise<void> => {
    served.child.kill('SIGTERM')
    expect(await served.ended).toBe(0)
  }
  return { ...served, opencode, log, stop }
}
