import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { openSpool, withSpooledCopy } from './spool.ts'

const SCRIPT = `
const { openSpool } = await import(process.argv[1])
const file = openSpool(process.argv[2]).newFile()
process.stdout.write(file.path)
setInterval(() => {}, 1000)
`

async function otherServer(state: string) {
  const module = new URL('./spool.ts', import.meta.url).href
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, module, state], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exit
  }
  onTestFinished(kill)
  const [path] = await once(child.stdout, 'data')
  return { path: String(path), kill }
}

test('what a server that was killed left behind is removed, what a living one uses is not', async () => {
  const state = temporaryHome()
  const dead = await otherServer(state)
  const living = await otherServer(state)
  await dead.kill()
  const spool = openSpool(state)
  expect(existsSync(dead.path)).toBe(false)
  expect(existsSync(living.path)).toBe(true)
  spool.close()
  expect(existsSync(living.path)).toBe(true)
  await living.kill()
  openSpool(state).close()
  expect(readdirSync(join(state, 'spool'))).toEqual(['starting.lock'])
})

test('a file of the spool gives back what was written to it, until it is removed', () => {
  const spool = openSpool(temporaryHome())
  onTestFinished(() => spool.close())
  const file = spool.newFile()
  writeFileSync(file.path, 'abcdef')
  expect(file.read(2, 3).toString()).toBe('cde')
  expect(file.read(4, 9).toString()).toBe('ef')
  file.remove()
  file.remove()
  expect(existsSync(file.path)).toBe(false)
})

test('a copy is gone once it was used, also when that failed', async () => {
  const spool = openSpool(temporaryHome())
  onTestFinished(() => spool.close())
  const use = async (path: string): Promise<void> => {
    expect(existsSync(path)).toBe(true)
    throw new Error('no')
  }
  await expect(withSpooledCopy(spool.folder, 'a.jsonl', Buffer.from('a'), use)).rejects.toThrow('no')
  expect(readdirSync(spool.folder)).toEqual([])
})
