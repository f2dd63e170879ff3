import { describe, expect, test } from 'vitest'
import { diffLines, withoutFarLines } from './line-diff.ts'
import { readPatch } from './patches.ts'
import type { ToolInput } from './tool-input.ts'
import { describeInput, titleOfInput } from './tool-input.ts'

const drawn = (input: ToolInput) =>
  input.type !== 'changes'
    ? undefined
    : input.files.map(({ path, kind, lines }) => [path, kind, lines.map(line => `${SIGN[line.kind]}${line.text}`)])
const SIGN = { same: ' ', added: '+', removed: '-', gap: '~' }

describe('commands', () => {
  test.each([
    [{ command: 'npm test' }, 'npm test'],
    [{ cmd: 'cat cart.ts' }, 'cat cart.ts'],
    [{ command: ['bash', '-lc', 'ls | wc -l'] }, 'ls | wc -l'],
    [{ command: ['git', 'commit', '-m', "it's done"] }, "git commit -m 'it'\\''s done'"],
  ])('%j is the line %s', (input, command) => {
    expect(describeInput(input)).toMatchObject({ type: 'command', command })
  })

  test('keep their folder and what they are for', () => {
    expect(describeInput({ command: 'ls', workdir: '/src', description: 'Look around' })).toEqual({
      type: 'command',
      command: 'ls',
      folder: '/src',
      note: 'Look around',
    })
  })
})

describe('changes of files', () => {
  test.each([
    [{ file_path: 'a.ts', old_string: 'x\ny\n', new_string: 'x\nz\n' }],
    [{ filePath: 'a.ts', oldString: 'x\ny', newString: 'x\nz' }],
    [{ command: 'str_replace', path: 'a.ts', old_str: 'x\ny', new_str: 'x\nz' }],
    [{ path: 'a.ts', edits: [{ oldText: 'x\ny', newText: 'x\nz' }] }],
    [{ patch: '--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n' }],
    [{ path: 'a.ts', diff: '@@ -1,2 +1,2 @@\n x\n-y\n+z' }],
    [{ changes: { 'a.ts': { update: { unified_diff: '@@ -1,2 +1,2 @@\n x\n-y\n+z\n' } } } }],
    ['*** Begin Patch\n*** Update File: a.ts\n@@\n x\n-y\n+z\n*** End Patch'],
    [
      {
        command: [
          'bash',
          '-lc',
          "apply_patch <<'E'\n*** Begin Patch\n*** Update File: a.ts\n x\n-y\n+z\n*** End Patch\nE",
        ],
      },
    ],
  ])('%j is a difference by line', input => {
    expect(drawn(describeInput(input))).toEqual([['a.ts', 'edit', [' x', '-y', '+z']]])
  })

  test('a written file is all added', () => {
    expect(drawn(describeInput({ file_path: 'a.ts', content: 'x\ny\n' }))).toEqual([['a.ts', 'write', ['+x', '+y']]])
  })

  test('a patch of several files names each, with what became of it', () => {
    const files = readPatch(
      '*** Begin Patch\n*** Add File: new.ts\n+x\n*** Delete File: old.ts\n*** Update File: a.ts\n*** Move to: b.ts\n@@ f()\n-x\n+y\n*** End Patch',
    )
    expect(files?.map(({ path, kind, movedTo }) => [path, kind, movedTo])).toEqual([
      ['new.ts', 'write', undefined],
      ['old.ts', 'delete', undefined],
      ['a.ts', 'move', 'b.ts'],
    ])
  })

  test('a line that begins with dashes inside a hunk is a removed line', () => {
    const files = readPatch('--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,1 @@\n--- a comment\n select 1\n')
    expect(files?.[0]?.lines).toEqual([
      { kind: 'removed', text: '-- a comment' },
      { kind: 'same', text: 'select 1' },
    ])
  })
})

describe('anything else', () => {
  test('is named values where they are short', () => {
    expect(describeInput({ query: 'cart', limit: 5 })).toEqual({
      type: 'fields',
      fields: [
        ['query', 'cart'],
        ['limit', '5'],
      ],
    })
  })

  test.each([
    [{ list: [1] }, 'json'],
    [[1, 2], 'json'],
    ['plain words', 'text'],
    [{}, 'nothing'],
    [null, 'nothing'],
    ['', 'nothing'],
  ])('%j is %s', (input, type) => {
    expect(describeInput(input).type).toBe(type)
  })

  test('has a title in the head of its card', () => {
    expect(titleOfInput(describeInput({ file_path: 'a.ts', content: '' }), true)).toBe('a.ts')
    expect(titleOfInput(describeInput({ command: 'ls' }), false)).toBe('ls')
  })
})

describe('the difference by line', () => {
  test('keeps what is common between changes', () => {
    const lines = diffLines('a\nb\nc\nd\n', 'a\nx\nc\ny\n')
    expect(lines.map(({ kind, text }) => SIGN[kind] + text)).toEqual([' a', '-b', '+x', ' c', '-d', '+y'])
  })

  test('of huge texts puts old before new and does not take a table of their product', () => {
    const old = Array.from({ length: 3000 }, (_, at) => `old ${at}`).join('\n')
    const now = Array.from({ length: 3000 }, (_, at) => `new ${at}`).join('\n')
    expect(diffLines(old, now)).toHaveLength(6000)
  })

  test('leaves out what is far from a change', () => {
    const old = Array.from({ length: 20 }, (_, at) => `${at}`).join('\n')
    const lines = withoutFarLines(diffLines(old, old.replace('\n10\n', '\nten\n')))
    expect(lines.map(({ kind, text }) => SIGN[kind] + text).join(' ')).toBe('~  7  8  9 -10 +ten  11  12  13 ~')
  })
})
