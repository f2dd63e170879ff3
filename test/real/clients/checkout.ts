// A checkout as it is cloned, with the dependencies and without the page: what a person tries first.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { hasTmux, Tmux } from '../tmux.ts'
import { type RealClient, require } from './client.ts'
import { opencodeRun, program, quiet } from './opencode-run.ts'
import { type Stage, TOKEN } from './stage.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const INITIALIZE = `${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1 } })}\n`

export const freshCheckout: RealClient = {
  name: 'checkout',
  title: 'A fresh checkout without the page, on Node',
  version: process.versions.node,
  install: 'git clone',
  missing: () => opencodeRun.missing() ?? (hasTmux() ? undefined : 'there is no tmux'),
  cases: [
    {
      name: '`./rethread server`',
      run: async stage => {
        const { command, own } = clone(stage)
        const child = start(stage, command, [...own, 'server', '--port', '0'])
        const text = await untilPrinted(child, /\/opencode, with the token/)
        const [address = ''] = /http:\/\/\S+\/opencode/.exec(text) ?? []
        const headers = { authorization: `Bearer ${TOKEN}` }
        const health = await (await fetch(`${address}/global/health`, { headers })).json()
        child.kill('SIGTERM')
        require(JSON.stringify(health).includes('"healthy":true') && !isBuilt(stage), text)
        return 'It starts, names the address for OpenCode clients, and answers there. No page is built.'
      },
    },
    {
      name: '`./rethread acp`',
      run: async stage => {
        const { command, own } = clone(stage)
        const child = start(stage, command, [...own, 'acp', '--agent', 'mock'])
        child.stdin.write(INITIALIZE)
        const text = await untilPrinted(child, /\n/)
        child.stdin.end()
        require(text.includes('"agentCapabilities"') && !isBuilt(stage), text)
        return 'It answers the first request of an editor. No page is built.'
      },
    },
    {
      name: '`./rethread opencode`',
      run: async stage => {
        const { command, own } = clone(stage)
        const path = [dirname(program), stage.variables['PATH']].join(delimiter)
        const variables = { ...stage.variables, ...quiet, PATH: path, TERM: 'xterm-256color' }
        const client = new Tmux(`rethread-checkout-${process.pid}`, {
          folder: stage.project,
          command: [command, ...own, 'opencode'],
          variables,
        })
        try {
          await client.shows('Ask anything')
          client.type('hello')
          await client.shows('hello')
          require(!isBuilt(stage), 'The page was built.')
          return 'The terminal client is attached. No page is built.'
        } finally {
          client.close()
        }
      },
    },
  ],
}

function clone({ home }: Stage): { command: string; own: string[] } {
  const folder = join(home, 'checkout')
  execFileSync('git', ['clone', '--quiet', ROOT, folder])
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return { command: join(folder, 'rethread'), own: ['--home', home, '--state', join(home, 'state-of-checkout')] }
}

function isBuilt({ home }: Stage): boolean {
  return existsSync(join(home, 'checkout', 'dist'))
}

function start({ variables, project }: Stage, command: string, args: readonly string[]) {
  const env = { ...variables, RETHREAD_TOKEN: TOKEN }
  return spawn(command, args, { env, cwd: project, stdio: ['pipe', 'pipe', 'inherit'] })
}

async function untilPrinted({ stdout }: ReturnType<typeof start>, words: RegExp): Promise<string> {
  let text = ''
  for await (const chunk of stdout) {
    text += chunk
    if (words.test(text)) return text
  }
  throw new Error(`It ended: ${text}`)
}
