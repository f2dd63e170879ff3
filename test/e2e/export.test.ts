// rethread export, and names, pins, tags and hidden conversations, as a person and a script use them.
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rethread, rethreadInTurn } from '../support/cli.ts'
import { recordedHome } from '../support/recorded.ts'

async function prepare(command = rethreadInTurn) {
  const home = recordedHome('claude-code-2.0.14')
  const run = (...args: string[]) => command(home, '--state', join(home, 'state'), ...args)
  const json = async (...args: string[]) => JSON.parse((await run('--json', ...args)).stdout)
  const [{ sessionId, filePath }] = (await json('list')).sessions
  return { home, run, json, sessionId, filePath }
}

test('a conversation is exported as Markdown, HTML and JSON, whole and with its tool calls folded', async () => {
  const { home, run, json, sessionId } = await prepare(rethread)
  const { messages } = await json('show', sessionId)
  const markdown = await run('export', sessionId)
  expect(markdown).toMatchObject({ status: 0, stderr: '' })
  expect(markdown.stdout.match(/^## \d+\. /gm)).toHaveLength(messages.length)
  expect(markdown.stdout).toContain('<details><summary>Tool: Bash')
  const path = join(home, 'out.html')
  expect((await run('export', sessionId, '--format', 'html', '--output', path)).status).toBe(0)
  expect(readFileSync(path, 'utf8').match(/<article id="m\d+">/g)).toHaveLength(messages.length)
  expect(statSync(path).mode & 0o077).toBe(0)
  const document = JSON.parse((await run('export', sessionId, '--format', 'json')).stdout)
  expect(document.messages.map(({ id }: { id: string }) => id)).toEqual(messages.map(({ id }: { id: string }) => id))
  expect(document).toMatchObject({ isComplete: true, sessionId })
})

test('a file that exists is replaced only with --force, and nothing else is left beside it', async () => {
  const { home, run, sessionId } = await prepare()
  const path = join(home, 'out.md')
  writeFileSync(path, 'mine')
  const refused = await run('export', sessionId, '--output', path)
  expect(refused.status).not.toBe(0)
  expect(refused.stderr).toContain('--force')
  expect(readFileSync(path, 'utf8')).toBe('mine')
  expect((await run('export', sessionId, '--output', path, '--force')).status).toBe(0)
  expect(readFileSync(path, 'utf8')).toContain('# Please add')
  expect(readdirSync(home).filter(name => name.endsWith('.part'))).toEqual([])
  expect((await run('export', 'no-such-session', '--output', join(home, 'none.md'))).status).not.toBe(0)
  expect(existsSync(join(home, 'none.md'))).toBe(false)
})

test('a damaged session is exported as far as it goes, and says what is missing, with exit status 3', async () => {
  const { run, sessionId, filePath } = await prepare()
  truncateSync(filePath, statSync(filePath).size - 40)
  for (const format of ['markdown', 'html', 'json']) {
    const exported = await run('export', sessionId, '--format', format)
    expect(exported.status).toBe(3)
    expect(exported.stdout).toMatch(format === 'json' ? /"missing":\["/ : /Not everything could be read/)
  }
})

test('--redact replaces keys and home paths everywhere, says how many, and that it is not perfect', async () => {
  const { run, sessionId, filePath } = await prepare()
  const key = `sk-ant-api03-${'a1B2'.repeat(20)}`
  writeFileSync(
    filePath,
    readFileSync(filePath, 'utf8').replaceAll('Please add a price', `Mail ada@example.org ${key} a price`),
  )
  for (const format of ['markdown', 'html', 'json']) {
    const { stdout, stderr } = await run('export', sessionId, '--format', format, '--redact')
    for (const secret of [key, 'ada@example.org', '/home/dev']) expect(stdout).not.toContain(secret)
    expect(stdout).toContain('redacted: API key')
    expect(stderr).toMatch(/Redacted: .*API key.*No redaction is perfect/)
  }
})

test('a named, pinned and tagged conversation is listed and shown so; a hidden one is listed only with --hidden', async () => {
  const { run, json, sessionId } = await prepare()
  const { title } = (await json('list')).sessions[0]
  await run('name', sessionId, 'Cart', '\u001b[31mprice')
  await run('tag', sessionId, '#Billing', 'to do')
  expect((await run('pin', sessionId)).stdout).toContain('Cart [31mprice · pinned, #billing, #to-do')
  const [listed] = (await json('list', '--pinned', '--tag', 'BILLING')).sessions
  expect(listed).toMatchObject({
    title: 'Cart [31mprice',
    originalTitle: title,
    pinned: true,
    tags: ['billing', 'to-do'],
  })
  expect((await json('list', '--tag', 'other')).sessions).toEqual([])
  expect((await json('show', sessionId)).originalTitle).toBe(title)
  expect((await run('show', sessionId, '--no-pager')).stdout).toContain('★ pinned · #billing · #to-do')
  await run('hide', sessionId)
  expect(await json('list')).toMatchObject({ sessions: [], hidden: 1 })
  expect((await json('list', '--hidden')).sessions).toMatchObject([{ sessionId, hidden: true }])
  for (const undo of [['unhide'], ['unpin'], ['untag'], ['name', '--clear']]) {
    const [verb = '', ...flags] = undo
    await run(verb, sessionId, ...(verb === 'untag' ? ['billing', 'to-do'] : flags))
  }
  const [plain] = (await json('list')).sessions
  expect(plain).toMatchObject({ title })
  for (const field of ['originalTitle', 'pinned', 'hidden', 'tags']) expect(plain).not.toHaveProperty(field)
})

test('a wrong name, tag or session is a usage error or not found, and changes nothing', async () => {
  const { run, json, sessionId } = await prepare()
  expect((await run('name', sessionId)).status).toBe(2)
  expect((await run('name', sessionId, ' \u200b ')).status).toBe(2)
  expect((await run('tag', sessionId, 'a,b')).status).toBe(2)
  expect((await run('pin', sessionId, 'no-such-session')).status).not.toBe(0)
  expect((await json('list', '--pinned')).sessions).toEqual([])
})

test('a conversation is found by the name and the tags that a person gave it, and not while it is hidden', async () => {
  const { run, json, sessionId } = await prepare()
  await run('name', sessionId, 'Größe of the zebra crossing')
  await run('tag', sessionId, 'quagga')
  const search = async (...words: string[]) => (await json('search', ...words)).results
  for (const words of [['ZEBRA', 'größe'], ['quagga'], ['#quagga', 'crossing']])
    expect(await search(...words)).toMatchObject([{ sessionId, title: 'Größe of the zebra crossing' }])
  expect(await search('zebra', '-quagga')).toEqual([])
  expect((await search('price', 'field'))[0]).toMatchObject({ sessionId, title: 'Größe of the zebra crossing' })
  await run('hide', sessionId)
  for (const words of [['quagga'], ['price', 'field']]) expect(await search(...words)).toEqual([])
})
