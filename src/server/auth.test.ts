import { describe, expect, test } from 'vitest'
import { isLoopback, makeAuth } from './auth.ts'

const TOKEN = 'a-token-of-some-length'
const auth = makeAuth({ token: TOKEN, host: '127.0.0.1', port: () => 4180 })
const cookie = auth.cookie().split(';')[0] ?? ''
const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`

describe('a client is let in', () => {
  test('with the token as bearer', () => {
    expect(auth.isAllowed({ authorization: `Bearer ${TOKEN}` })).toBe(true)
  })
  test.each(['opencode', ''])('with the token as password of the user "%s"', user => {
    expect(auth.isAllowed({ authorization: basic(`${user}:${TOKEN}`) })).toBe(true)
  })
  test('with the cookie of the page, among others', () => {
    expect(auth.isAllowed({ cookie: `a=b; ${cookie}; c=d` })).toBe(true)
  })
})

describe('a client is kept out', () => {
  test.each([
    ['without anything', {}],
    ['with a wrong token', { authorization: 'Bearer wrong' }],
    ['with the beginning of the token', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['with more than the token', { authorization: `Bearer ${TOKEN}x` }],
    ['with an empty one', { authorization: 'Bearer ' }],
    ['with a wrong password', { authorization: basic('opencode:wrong') }],
    ['with the token as user', { authorization: basic(`${TOKEN}:`) }],
    ['with the token and no user', { authorization: basic(TOKEN) }],
    ['with a wrong password beside a good cookie', { authorization: basic('opencode:wrong'), cookie }],
    ['with an empty password', { authorization: 'Basic ' }],
    ['with the token as cookie', { cookie: `rethread-4180=${TOKEN}` }],
    ['with the cookie of another port', { cookie: cookie.replace('4180', '4181') }],
    ['with a wrong token beside a good cookie', { authorization: 'Bearer wrong', cookie }],
  ])('%s', (_name, headers) => {
    expect(auth.isAllowed(headers)).toBe(false)
  })
})

test('the cookie is not the token, and no script can read it', () => {
  expect(auth.cookie()).not.toContain(TOKEN)
  expect(auth.cookie()).toMatch(/HttpOnly; SameSite=Strict/)
})

describe('a request is for us', () => {
  test.each(['127.0.0.1:4180', 'localhost:4180', '[::1]:4180', '127.8.8.8:4180'])('by the name %s', host => {
    expect(auth.isOwnHostAndOrigin({ host })).toBe(true)
    expect(auth.isOwnHostAndOrigin({ host, origin: `http://${host}` })).toBe(true)
  })
})

describe('a request is not for us', () => {
  test.each([
    undefined,
    'evil.example:4180',
    '127.0.0.1:4181',
    '127.0.0.1',
    'localhost.evil.example:4180',
    '10.0.0.1:4180',
    '[::1:4180',
  ])('by the name %s', host => {
    expect(auth.isOwnHostAndOrigin({ host })).toBe(false)
  })
  test.each(['http://evil.example', 'null', 'http://127.0.0.1:4181', 'http://localhost:4180'])(
    'from the page %s',
    origin => {
      expect(auth.isOwnHostAndOrigin({ host: '127.0.0.1:4180', origin })).toBe(false)
    },
  )
})

test('a server for others answers to addresses in numbers and to its own name, as no DNS can point those elsewhere', () => {
  const open = makeAuth({ token: TOKEN, host: '0.0.0.0', port: () => 4180 })
  expect(open.isOwnHostAndOrigin({ host: '10.0.0.1:4180' })).toBe(true)
  expect(open.isOwnHostAndOrigin({ host: 'evil.example:4180' })).toBe(false)
  const named = makeAuth({ token: TOKEN, host: 'desk.local', port: () => 4180 })
  expect(named.isOwnHostAndOrigin({ host: 'desk.local:4180' })).toBe(true)
})

test('loopback is the machine itself and nothing else', () => {
  expect(['127.0.0.1', '127.1.2.3', 'localhost', '::1'].every(isLoopback)).toBe(true)
  expect(['0.0.0.0', '::', '10.0.0.1', '127.evil.example', ''].some(isLoopback)).toBe(false)
})
