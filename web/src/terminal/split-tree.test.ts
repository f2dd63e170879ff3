import { expect, test } from 'vitest'
import type { Tree } from './split-tree.ts'
import { panesOf, setShare, splitPane, withoutPane } from './split-tree.ts'

const one: Tree = { type: 'pane', pane: 'a' }
const three = splitPane(splitPane(one, 'a', 'b', 'right'), 'a', 'c', 'down')

test('a new pane stands behind the one it was split from', () => {
  expect(panesOf(three)).toEqual(['a', 'c', 'b'])
})

test('splitting beside a pane that is not there changes nothing', () => {
  expect(splitPane(one, 'x', 'b', 'right')).toEqual(one)
})

test('the neighbour of a pane that goes gets its room', () => {
  expect(withoutPane(three, 'b')).toEqual(splitPane(one, 'a', 'c', 'down'))
  expect(withoutPane(one, 'a')).toBeUndefined()
})

test('no pane is made so small that it cannot be found again', () => {
  const tree = splitPane(one, 'a', 'b', 'right')
  expect(setShare(tree, 'a b', 0.001)).toMatchObject({ share: 0.15 })
  expect(setShare(tree, 'a b', 2)).toMatchObject({ share: 0.85 })
  expect(setShare(tree, 'a b', 0.3)).toMatchObject({ share: 0.3 })
})
