// Changes of files, as patches that a tool would take.
import { expect, test } from 'vitest'
import { makePatch } from './patch.ts'
import { SessionDiffs } from './session-diffs.ts'

test.each([
  ['a line in the middle', 'a\nb\nc\n', 'a\nB\nc\n', '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n'],
  ['a new file', null, 'a\n', '@@ -0,0 +1,1 @@\n+a\n'],
  ['everything gone', 'a\n', '', '@@ -1,1 +0,0 @@\n-a\n'],
  [
    'no line break at the end',
    'a',
    'b',
    '@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n',
  ],
  ['far down', '1\n2\n3\n4\n5\n', '1\n2\n3\n4\n5\n6\n', '@@ -3,3 +3,4 @@\n 3\n 4\n 5\n+6\n'],
])('a patch for %s', (_, oldText, newText, hunk) => {
  expect(makePatch({ path: '/f', oldText, newText }).patch).toBe(
    `--- ${oldText === null ? '/dev/null' : 'a/f'}\n+++ b/f\n${hunk}`,
  )
})

test('changes that follow each other are one change, places in a file add up', () => {
  const diffs = new SessionDiffs()
  diffs.set('p1', [{ path: 'whole', oldText: 'a\n', newText: 'b\n' }])
  diffs.set('p2', [{ path: 'whole', oldText: 'b\n', newText: 'c\n' }])
  diffs.set('p3', [{ path: 'places', oldText: 'x\n', newText: 'y\n' }])
  diffs.set('p4', [{ path: 'places', oldText: 'far\n', newText: 'away\n' }])
  expect(diffs.list()).toMatchObject([
    { file: 'whole', before: 'a\n', after: 'c\n', additions: 1, deletions: 1 },
    { file: 'places', additions: 2, deletions: 2 },
  ])
})

test('a tool that says more takes the place of what it said', () => {
  const diffs = new SessionDiffs()
  diffs.set('p1', [{ path: 'a', oldText: null, newText: '1\n' }])
  expect(diffs.list()[0]?.after).toBe('1\n')
  diffs.set('p1', [{ path: 'b', oldText: null, newText: '2\n' }])
  expect(diffs.list().map(({ file, after }) => [file, after])).toEqual([['b', '2\n']])
})

test('of very much text only the counts remain', () => {
  const diffs = new SessionDiffs(100)
  const newText = 'line\n'.repeat(10)
  for (let n = 0; n < 5; n++) diffs.set(`p${n}`, [{ path: `f${n}`, oldText: null, newText }])
  expect(diffs.list().map(({ additions, after }) => [additions, after.length])).toEqual([
    [10, 0],
    [10, 0],
    [10, 0],
    [10, 50],
    [10, 50],
  ])
})
