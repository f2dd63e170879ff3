import { expect, test } from 'vitest'
import { harmless, isSafeAddress, isTooTangled } from './markdown-tree.ts'

const text = (value: string) => ({ type: 'text', value })
const run = (children: object[]) => {
  const tree = { type: 'root', children }
  harmless()(tree as Parameters<ReturnType<typeof harmless>>[0])
  return tree.children
}

test('tags are shown as what they are', () => {
  expect(run([{ type: 'html', value: '<script>alert(1)</script>' }])).toEqual([
    { type: 'paragraph', children: [text('<script>alert(1)</script>')] },
  ])
  expect(run([{ type: 'paragraph', children: [{ type: 'html', value: '<b>' }] }])).toEqual([
    { type: 'paragraph', children: [text('<b>')] },
  ])
})

test('a link that is not followed keeps its words and shows its address', () => {
  const link = { type: 'link', url: 'javascript:alert(1)', children: [text('click')] }
  expect(run([{ type: 'paragraph', children: [link] }])).toEqual([
    {
      type: 'paragraph',
      children: [text('click'), text(' '), { type: 'inlineCode', value: 'javascript:alert(1)' }],
    },
  ])
})

test.each([
  ['https://example.org', true],
  ['mailto:a@example.org', true],
  ['javascript:alert(1)', false],
  [' javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['//example.org', false],
  ['#session=other', false],
])('%s may be followed: %s', (address, isSafe) => {
  expect(isSafeAddress(address)).toBe(isSafe)
})

test('a tree without end is refused', () => {
  let deep: object = text('x')
  for (let level = 0; level < 100; level++) deep = { type: 'blockquote', children: [deep] }
  expect(() => run([deep])).toThrow('nested too deeply')
})

test.each([
  ['quotes in quotes', '> '.repeat(500), true],
  ['lists in lists', '- '.repeat(200), true],
  ['brackets without end', '['.repeat(5000), true],
  ['links that never end', '[a](b'.repeat(4000), true],
  ['a table of thousands of rows', `|a|b|\n|-|-|\n${'|x|y|\n'.repeat(3000)}`, true],
  ['an ordinary text', 'Some *words* with `code`.\n\n- one\n- two\n'.repeat(50), false],
])('%s: shown as it stands: %s', (_, value, isTangled) => {
  expect(isTooTangled(value)).toBe(isTangled)
})
