// bin/rethread.js on a Node that is too old: it hands over to a newer one, or says what to install.
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { put, temporaryHome } from './support/home.ts'
import { olderNode } from './support/older-node.ts'
import { PRETEND_OLD } from './support/pretend-old.ts'

const older = olderNode()
const OLD_NODES = [
  { name: 'a Node that says it is old', node: process.execPath, options: PRETEND_OLD, skip: false },
  {
    name: `the old Node of this machine${older === undefined ? ' (there is none)' : ''}`,
    node: older ?? '',
    options: [],
    skip: older === undefined,
  },
]

const MAIN = `
  const [what, ...rest] = process.argv.slice(2)
  if (what === 'exit') process.exit(Number(rest[0]))
  if (what === 'echo') console.log(JSON.stringify({ rest, node: process.versions.node, env: process.env.RETHREAD_HANDED_OVER }))
  if (what === 'die') process.kill(process.pid, rest[0])
  if (what === 'wait') {
    process.on(rest[0], () => { console.log('got ' + rest[0]); process.exit(7) })
    setInterval(() => {}, 1000)
    console.log('ready')
  }`

for (const { name, node, options, skip } of OLD_NODES)
  describe.skipIf(skip)(name, () => {
    /** An installed package without rethread in it: what it starts does as it is asked. */
    function makeTree(newer?: string): string {
      const root = temporaryHome()
      put(root, 'package.json', '{"type":"module"}')
      put(root, 'dist/main.js', MAIN)
      mkdirSync(join(root, 'bin'))
      copyFileSync(join(import.meta.dirname, '..', 'bin', 'rethread.js'), join(root, 'bin', 'rethread.js'))
      if (newer === undefined) return root
      mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true })
      symlinkSync(newer, join(root, 'node_modules', '.bin', 'node'))
      return root
    }

    const start = (root: string, ...args: string[]): ChildProcess =>
      spawn(node, [...options, join(root, 'bin', 'rethread.js'), ...args], { stdio: ['ignore', 'pipe', 'pipe'] })

    async function end(child: ChildProcess) {
      const exit = new Promise<[number | null, NodeJS.Signals | null]>(done =>
        child.on('exit', (status, signal) => done([status, signal])),
      )
      const [stdout = '', stderr = ''] = await Promise.all(
        [child.stdout, child.stderr].map(async out => (out ? text(out) : '')),
      )
      const [status, signal] = await exit
      return { status, signal, stdout, stderr }
    }

    test('says what to install where there is no newer one', async () => {
      const { status, stdout, stderr } = await end(start(makeTree(), 'echo'))
      expect(stderr).toMatch(/needs Node 22\.18 or newer; this is Node (18|20|22)\./)
      expect(stderr).toContain('nodejs.org')
      expect(stderr).not.toContain('npm start')
      expect([status, stdout]).toEqual([1, ''])
    })

    test('says how a checkout can get one', async () => {
      const root = makeTree()
      put(root, 'scripts/setup.js', '')
      expect((await end(start(root))).stderr).toContain('npm start')
    })

    test('hands over to the one in node_modules/.bin, with the arguments', async () => {
      const { status, stdout, stderr } = await end(start(makeTree(process.execPath), 'echo', 'a b', '--json', '"'))
      expect(stderr).toBe('')
      expect(JSON.parse(stdout)).toEqual({ rest: ['a b', '--json', '"'], node: process.versions.node })
      expect(status).toBe(0)
    })

    test.each([3, 130])('passes on exit status %i', async wanted => {
      expect((await end(start(makeTree(process.execPath), 'exit', String(wanted)))).status).toBe(wanted)
    })

    test.each(['SIGTERM', 'SIGKILL'])('ends by %s where the other one does', async wanted => {
      expect((await end(start(makeTree(process.execPath), 'die', wanted))).signal).toBe(wanted)
    })

    test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('hands on %s and waits for the end', async signal => {
      const child = start(makeTree(process.execPath), 'wait', signal)
      child.stdout?.once('data', () => child.kill(signal))
      const { status, stdout } = await end(child)
      expect(stdout).toBe(`ready\ngot ${signal}\n`)
      expect(status).toBe(7)
    })
  })

test.skipIf(older === undefined)('two old ones do not hand over for ever', async () => {
  const root = temporaryHome()
  put(root, 'package.json', '{"type":"module"}')
  mkdirSync(join(root, 'bin'))
  copyFileSync(join(import.meta.dirname, '..', 'bin', 'rethread.js'), join(root, 'bin', 'rethread.js'))
  mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true })
  symlinkSync(older ?? '', join(root, 'node_modules', '.bin', 'node'))
  const child = spawn(older ?? '', [join(root, 'bin', 'rethread.js')], { stdio: ['ignore', 'ignore', 'pipe'] })
  expect(await text(child.stderr)).toContain('needs Node 22.18')
})
