import { expect, test, vi } from 'vitest'

vi.stubGlobal('location', { hash: '', pathname: '/', search: '' })
const { markedWords, parseSearch } = await import('./search-state.ts')
vi.unstubAllGlobals()

const NOW = Date.UTC(2026, 10, 16)

test('filters among the words are taken out of them', () => {
  expect(parseSearch('deploy agent:codex role:user fails since:2d', NOW)).toEqual({
    text: 'deploy fails',
    agent: 'codex',
    role: 'user',
    since: '2026-11-14T00:00:00.000Z',
  })
  expect(parseSearch('until:2026-11-01 file:src/cart.ts', NOW)).toEqual({
    text: '',
    until: '2026-11-01T00:00:00.000Z',
    file: 'src/cart.ts',
  })
})

test('a filter that means nothing is searched for as it was typed', () => {
  expect(parseSearch('role:judge since:soon http://x', NOW)).toEqual({ text: 'role:judge since:soon http://x' })
})

test('words and quoted texts are marked, exclusions are not', () => {
  expect(markedWords('Deploy "foo(bar" -test pre* ("')).toEqual(['deploy', 'foo(bar', 'pre'])
})
