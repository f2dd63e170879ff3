// One place starts programs, one place makes commands for pasting: held against every source, and against planted violations.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isTestSupport } from './layers.ts'
import { checkPasted, checkStarters, checkWritten, STARTERS, WRITTEN } from './programs.ts'
import { parse, parsedPage, parsedSources } from './source.ts'

const ROOT = join(import.meta.dirname, '..', '..')

export function testPrograms(): void {
  describe('the sources', () => {
    const files = [...parsedSources(ROOT), ...parsedPage(ROOT)].filter(file => !isTestSupport(file))

    test('start programs in one place', () => expect(files.flatMap(checkStarters)).toEqual([]))
    test('let others write options where it is said whose they are', () =>
      expect(files.flatMap(checkWritten)).toEqual([]))
    test('quote what stands in a command for pasting', () => expect(files.flatMap(checkPasted)).toEqual([]))
    test('are there, where they are excused', () => {
      for (const path of [...Object.keys(STARTERS), ...Object.keys(WRITTEN)])
        expect(existsSync(join(ROOT, path)), path).toBe(true)
    })
  })

  describe('the rules', () => {
    /** `§` stands for the sign that begins a part of a template. */
    const source = (text: string, path = 'src/cli/a.ts') => ({ path, text: text.replaceAll('§', '$') })

    test.each([
      "import { spawn } from 'node:child_process'",
      "import * as processes from 'child_process'",
      "const { execFile } = await import('node:child_process')",
      "const { spawn } = require('child_process')",
      "import cluster from 'node:cluster'",
      "import { spawn } from '@lydell/node-pty'",
      "export { spawn } from 'node:child_process'",
      'process.execve(path)',
      "process.getBuiltinModule('node:child_process')",
    ])('refuse %s', text => expect(checkStarters(parse(source(text)))).toHaveLength(1))

    test.each([
      "import type { ChildProcess } from 'node:child_process'",
      'const match = /a/.exec(text)',
      "// 'child_process'",
    ])('allow %s', text => expect(checkStarters(parse(source(text)))).toEqual([]))

    test.each(["import { words, written } from '../model/program.ts'", "import * as all from '../model/program.ts'"])(
      'refuse %s',
      text => expect(checkWritten(parse(source(text)))).toHaveLength(1),
    )

    test.each([
      '`Read it: rethread show §{session.sessionId}`',
      '`rethread show --raw §{id} --json`',
      '`Install it: npm install --global §{name}`',
      '`and more: rethread check §{cleanLine(id)}`',
    ])('refuse %s', text => expect(checkPasted(parse(source(text)))).toHaveLength(1))

    test.each([
      '`Read it: rethread show §{quote(path)}`',
      "`Read it: §{paste('rethread show', id)}`",
      '`Another rethread is starting and has §{path}`',
      '`rethread is running on port §{port}`',
      "'rethread show ID'",
    ])('allow %s', text => expect(checkPasted(parse(source(text)))).toEqual([]))
  })
}
