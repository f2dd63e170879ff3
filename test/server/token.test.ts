// Where the token of a server comes from, and who does not get to see it.
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { rethread, rethreadWith } from '../support/cli.ts'
import { put, temporaryHome } from '../support/home.ts'
import { type Served, serve, serveWith } from '../support/serve.ts'
import { SocketClient } from '../support/socket-client.ts'

const TOKEN = 'a-token-that-nobody-should-see'
const isLinux = process.platform === 'linux'

async function lets({ port }: Served, token: string): Promise<boolean> {
  return (await ask(port, '/api/health', { token })).status === 200
}

const commandLineOf = ({ pid }: Served): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8')

describe('RETHREAD_TOKEN', () => {
  test('is the token, without a warning, and is in no list of processes', async () => {
    const served = await serveWith(temporaryHome(), { RETHREAD_TOKEN: TOKEN })
    expect(await lets(served, TOKEN)).toBe(true)
    expect(await lets(served, 'another')).toBe(false)
    expect(served.printed().stderr).toBe('')
    if (isLinux) expect(commandLineOf(served)).not.toContain(TOKEN)
  })

  test('lets others reach the server where it is long enough', async () => {
    const served = await serveWith(temporaryHome(), { RETHREAD_TOKEN: TOKEN }, '--host', '0.0.0.0')
    expect(await lets(served, TOKEN)).toBe(true)
    const short = await rethreadWith(temporaryHome(), { RETHREAD_TOKEN: 'short' }, 'serve', '--host', '0.0.0.0')
    expect(short).toMatchObject({ status: 2, stderr: expect.stringContaining('RETHREAD_TOKEN=') })
  })

  test('that is empty is none', async () => {
    const served = await serveWith(temporaryHome(), { RETHREAD_TOKEN: '' })
    expect(await lets(served, served.token)).toBe(true)
    expect(served.token.length).toBeGreaterThan(20)
  })

  test('reaches nothing that rethread starts: no shell, no agent, no other program', async () => {
    const home = temporaryHome()
    const served = await serveWith(home, { RETHREAD_TOKEN: TOKEN, SAME_UNDER_ANOTHER_NAME: TOKEN })
    const client = new SocketClient(served.port)
    await client.opened()
    await client.hello(TOKEN)
    client.send({ type: 'terminal.create', requestId: 'r', cols: 80, rows: 24 })
    const { terminal } = await client.sees('terminal.created')
    client.send({ type: 'terminal.attach', requestId: 'a', terminalId: terminal.terminalId, cols: 80, rows: 24 })
    client.send({ type: 'terminal.input', terminalId: terminal.terminalId, data: `env > ${home}/env; echo do''ne\n` })
    await client.seesOutput(terminal.terminalId, 'done')
    expect(readFileSync(join(home, 'env'), 'utf8')).not.toContain(TOKEN)
    const program = join(home, 'agent.sh')
    put(home, 'agent.sh', `#!/bin/sh\nenv > "${home}/agent-env"\n`)
    chmodSync(program, 0o755)
    put(home, '.config/rethread/config.json', JSON.stringify({ agents: { tells: { command: program } } }))
    await ask(served.port, '/api/conversations', {
      ...{ method: 'POST', token: TOKEN },
      body: JSON.stringify({ agent: 'tells', folder: home }),
    })
    // The answer does not wait for a program that ends at once.
    const variables = (): string => (existsSync(`${home}/agent-env`) ? readFileSync(`${home}/agent-env`, 'utf8') : '')
    await expect.poll(variables).toContain('PATH=')
    expect(variables()).not.toContain(TOKEN)
  })
})

describe('--token-file', () => {
  test('is read, and a file that is ours alone is no reason to warn', async () => {
    const home = temporaryHome()
    const file = put(home, 'secret', `${TOKEN}\n`)
    chmodSync(file, 0o600)
    const served = await serve(home, '--token-file', file)
    expect(await lets(served, TOKEN)).toBe(true)
    expect(served.printed().stderr).toBe('')
    if (isLinux) expect(commandLineOf(served)).not.toContain(TOKEN)
  })

  test('goes before RETHREAD_TOKEN, and one that others can read is warned about', async () => {
    const home = temporaryHome()
    const file = put(home, 'secret', TOKEN)
    chmodSync(file, 0o644)
    const served = await serveWith(home, { RETHREAD_TOKEN: 'another-token-of-the-environment' }, '--token-file', file)
    expect(await lets(served, TOKEN)).toBe(true)
    expect(served.printed().stderr).toBe(`Warning: others can read ${file}. Keep it to yourself: chmod 600 ${file}\n`)
  })

  test.each([
    ['that is empty', '\n', /is empty/],
    ['of two lines', 'one-token-here\nanother\n', /one line/],
    ['with blanks', 'a token of words\n', /visible ASCII/],
    ['with a NUL', 'a\0b\n', /visible ASCII/],
    ['that is too long', 'x'.repeat(10_000), /one line/],
  ])('%s is refused', async (_, content, words) => {
    const home = temporaryHome()
    const file = put(home, 'secret', content)
    chmodSync(file, 0o600)
    const { status, stderr } = await rethread(home, 'serve', '--no-open', '--token-file', file)
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(words) })
    expect(stderr).not.toContain('one-token-here')
  })

  test('that is not there is refused with how to make one, and so is a folder', async () => {
    const home = temporaryHome()
    const missing = await rethread(home, 'serve', '--no-open', '--token-file', join(home, 'none'))
    expect(missing).toMatchObject({ status: 5, stderr: expect.stringContaining('umask 077') })
    const folder = await rethread(home, 'serve', '--no-open', '--token-file', home)
    expect(folder.status).toBe(5)
  })

  test('beside --token is refused: one of them was not meant', async () => {
    const home = temporaryHome()
    const both = await rethread(home, 'serve', '--no-open', '--token', TOKEN, '--token-file', put(home, 'f', TOKEN))
    expect(both.status).toBe(2)
  })
})

test('--token still works, and says that everybody on the machine can read it', async () => {
  const served = await serve(temporaryHome(), '--token', TOKEN)
  expect(await lets(served, TOKEN)).toBe(true)
  expect(served.printed().stderr).toMatch(/^Warning: .*--token.*RETHREAD_TOKEN.*--token-file/)
})

test.each(['serve', 'server'])('the help of %s tells of all three', async command => {
  const { stdout } = await rethread(temporaryHome(), command, '--help')
  expect(stdout).toContain('RETHREAD_TOKEN')
  expect(stdout).toContain('--token-file <file>')
  expect(stdout).toMatch(/--token <secret>[^-]*process\s+list/)
})
