import { expect, test } from 'vitest'
import { describeRedacted, makeRedactor } from './redact.ts'

const x = (text: string, times: number): string => text.repeat(times)

/** One for each form; made up, and put together here so that no scanner takes them for real ones. */
const SECRETS: [kind: string, secret: string][] = [
  ['API key', `sk-ant-api03-${x('a1B2', 20)}`],
  ['API key', `sk-proj-${x('A1b2', 12)}`],
  ['API key', `sk-${x('A1b2', 12)}`],
  ['API key', `AIza${x('SyA1b', 7)}`],
  ['API key', `AKIA${x('ABCD', 4)}`],
  ['API key', `hf_${x('a1B2', 8)}`],
  ['API key', `sk_live_${x('a1B2', 6)}`],
  ['API key', `gsk_${x('a1B2', 13)}`],
  ['token', `ghp_${x('a1B2', 9)}`],
  ['token', `github_pat_${x('a1B2', 12)}`],
  ['token', `glpat-${x('a1B2', 5)}`],
  ['token', `npm_${x('a1B2', 9)}`],
  ['token', `xoxb-${x('1234', 3)}-${x('abcd', 6)}`],
  ['token', `eyJ${x('hbGc', 5)}.eyJ${x('zdWI', 5)}.${x('abcd', 8)}`],
]

test.each(SECRETS)('%s: %s', (kind, secret) => {
  for (const text of [secret, `key=${secret};`, `"${secret}"`, `a\n${secret}\nb`, `(${secret})`]) {
    const redactor = makeRedactor()
    expect(redactor.text(text)).not.toContain(secret)
    expect(Object.keys(redactor.counts)).toContain(kind)
  }
})

test.each([
  ['postgres://shop:hunter2@db.example.org/x', 'postgres://shop:[redacted: password]@db.example.org/x'],
  ['Authorization: Bearer abcdef0123456789abcd', 'Authorization: Bearer [redacted: token]'],
  ['DB_PASSWORD=hunter2hunter2', 'DB_PASSWORD=[redacted: password]'],
  ['{"apiKey": "abc123def456"}', '{"apiKey": "[redacted: password]"}'],
  ["client_secret: 'abc123def456'", "client_secret: '[redacted: password]'"],
  ['mail ada.l+x@mail.example.co.uk now', 'mail [redacted: e-mail address] now'],
  ['/home/ada/shop/a.ts and /Users/ada', '~/shop/a.ts and ~'],
  ['C:\\Users\\ada\\shop and "C:\\\\Users\\\\ada\\\\x"', '~\\shop and "~\\\\x"'],
  ['.claude/projects/-home-ada-shop/x.jsonl', '.claude/projects/-~-shop/x.jsonl'],
  ['cd /root/shop; ls /root', 'cd ~/shop; ls ~'],
  [
    `-----BEGIN RSA PRIVATE KEY-----\n${x('MIIE', 16)}\n-----END RSA PRIVATE KEY-----\nrest`,
    '[redacted: private key]\nrest',
  ],
])('%j becomes %j', (text, redacted) => {
  expect(makeRedactor().text(text)).toBe(redacted)
})

test.each([
  'const token = getToken(request)',
  'The password is wrong, so the token: see below.',
  'process.env.API_KEY',
  'password: $PASSWORD',
  'commit 3a51537a9f00112233445566778899aabbccddee',
  'id 3a51537a-9f00-1122-3344-556677889900',
  'git@example.org:shop/cart.git',
  'npm install vite@8.1.4 and /homepage/x, src/home/y',
  'sk-learn and task-management-and-planning-tool',
])('%j stays as it is', text => {
  expect(makeRedactor().text(text)).toBe(text)
})

test('texts at any depth are redacted, a field that is named like a secret whatever it holds', () => {
  const redactor = makeRedactor(['/srv/people/ada'])
  const value = redactor.value({ env: [{ db_password: 'plain' }], path: '/srv/people/ada/x', count: 3, none: null })
  expect(value).toEqual({ env: [{ db_password: '[redacted: password]' }], path: '~/x', count: 3, none: null })
  expect(describeRedacted(redactor.counts)).toBe('1 password and 1 home path')
})

test('a value that is nested very deeply ends the redaction with a note, not with an error', () => {
  let value: unknown = 'x'
  for (let depth = 0; depth < 50_000; depth++) value = [value]
  expect(JSON.stringify(makeRedactor().value(value))).toContain('nested too deeply')
})
