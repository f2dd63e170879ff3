import { describe, expect, it } from 'vitest'
import type { SessionRow } from '../../../src/server/protocol.ts'
import { headingAt, makeItems, rowFrom } from './items.ts'

const names = { agentTitle: (agent: string) => agent.toUpperCase(), shortPath: (path: string) => path }

function row(key: string, facts: Partial<SessionRow> = {}): SessionRow {
  return {
    key,
    agent: 'one',
    sessionId: key,
    title: null,
    project: '/shop',
    filePath: `/${key}`,
    updatedAt: '2020-01-01T12:00:00Z',
    fileSize: 1,
    messageCount: null,
    partial: false,
    ...facts,
  }
}

const written = (items: ReturnType<typeof makeItems>) =>
  items.map(item => (item.type === 'row' ? item.key : `${item.label} ${item.count ?? '?'}`))

describe('the lines of the list', () => {
  it('put a heading before each group and count those that are wholly loaded', () => {
    const rows = [row('a'), row('b'), row('c', { agent: 'two' })]
    expect(written(makeItems(rows, 'agent', false, names))).toEqual(['ONE 2', 'a', 'b', 'TWO ?', 'c'])
    expect(written(makeItems(rows, 'agent', true, names)).at(-2)).toBe('TWO 1')
  })

  it('name the group of those without a project', () => {
    const rows = [row('a'), row('b', { project: null })]
    expect(written(makeItems(rows, 'project', true, names))).toEqual(['/shop 1', 'a', 'No project 1', 'b'])
  })

  it('have no headings where the order is by size', () => {
    expect(written(makeItems([row('a'), row('b')], 'largest', true, names))).toEqual(['a', 'b'])
  })

  it('have keys of their own even where a group comes twice', () => {
    const rows = [row('a'), row('b', { agent: 'two' }), row('c')]
    const keys = makeItems(rows, 'agent', true, names).map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
  })
})

describe('moving through the list', () => {
  const items = makeItems([row('a'), row('b', { agent: 'two' }), row('c', { agent: 'two' })], 'agent', true, names)

  it('steps over headings and stops at both ends', () => {
    expect(rowFrom(items, 'a', 1)?.key).toBe('b')
    expect(rowFrom(items, 'a', -1)?.key).toBe('a')
    expect(rowFrom(items, 'b', 10)?.key).toBe('c')
    expect(rowFrom(items, 'c', Number.NEGATIVE_INFINITY)?.key).toBe('a')
  })

  it('begins at an end where no row is active, or the active one is gone', () => {
    expect(rowFrom(items, null, 1)?.key).toBe('a')
    expect(rowFrom(items, 'gone', -1)?.key).toBe('c')
    expect(rowFrom([], null, 1)).toBeUndefined()
  })

  it('knows the heading that a row stands under', () => {
    expect(headingAt(items, 4)?.label).toBe('TWO')
    expect(headingAt(items, 99)?.label).toBe('TWO')
    expect(headingAt([], 0)).toBeUndefined()
  })
})
