// Programs get exactly the words that were made for them, and are never looked for where a session could have put one.
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { openBrowser } from '../../cli/open-browser.ts'
import { pathValue, program, textValue, words } from '../../model/program.ts'
import { locateProgram, requireStartFolder, runProgram } from './start-program.ts'

const UNSAFE = expect.objectContaining({ code: 'unsafe-argument' })

/** A program that writes down its arguments, one behind the other. */
function putRecorder(home: string, name: string): string {
  const record = join(home, `${name}.started`)
  chmodSync(put(home, `bin/${name}`, `#!/bin/sh\nprintf '%s\\0' "$@" > '${record}'\n`), 0o755)
  return record
}

test('words reach a program as they are, whatever a shell would make of them', () => {
  const home = temporaryHome()
  const record = putRecorder(home, 'tool')
  const values = ['a b', '$(touch x)', '`x`', "it's", '"', '*', 'a\nb', '\\', 'ü😀', '&& x', '=x']
  const list = words('--flag', textValue(values[0] ?? ''), ...values.slice(1).map(textValue), pathValue('/-x'))
  const found = locateProgram(program('tool', list), '/', { PATH: join(home, 'bin') })
  if (found === undefined) throw new Error('It is there.')
  expect(runProgram(found, { folder: home, env: { PATH: '/usr/bin:/bin' } }).status).toBe(0)
  expect(readFileSync(record, 'utf8').split('\0').slice(0, -1)).toEqual(['--flag', ...values, '/-x'])
  expect(existsSync(join(home, 'x'))).toBe(false)
})

test('a program is looked for on absolute parts of the PATH, never in the folder it would run in', () => {
  const home = temporaryHome()
  putRecorder(home, 'tool')
  for (const PATH of ['', '.', 'bin', ['', '.', './bin', 'bin'].join(delimiter)])
    expect(locateProgram(program('tool', words()), home, { PATH })).toBeUndefined()
  const found = locateProgram(program('tool', words()), '/', { PATH: [':.', join(home, 'bin')].join(delimiter) })
  expect(found?.command).toBe(join(home, 'bin', 'tool'))
})

test('nothing is started in a folder that is relative, gone, a file, or no path at all', () => {
  const home = temporaryHome()
  const file = put(home, 'file', '')
  for (const folder of ['', '.', 'x', '-x', '~', `${home}\0`]) expect(() => requireStartFolder(folder)).toThrow(UNSAFE)
  const missing = join(home, "it's gone")
  expect(() => requireStartFolder(missing)).toThrow(
    expect.objectContaining({ code: 'not-found', hint: expect.stringContaining(`mkdir -p '${home}/it'\\''s gone'`) }),
  )
  expect(() => requireStartFolder(file)).toThrow(
    expect.objectContaining({ code: 'usage', hint: expect.not.stringContaining('mkdir') }),
  )
  expect(() => requireStartFolder(home)).not.toThrow()
})

test.skipIf(process.platform !== 'linux')('a browser is given one http address, and nothing else', async () => {
  const home = temporaryHome()
  const record = putRecorder(home, 'xdg-open')
  const { PATH, DISPLAY } = process.env
  onTestFinished(() => {
    process.env['PATH'] = PATH
    if (DISPLAY === undefined) delete process.env['DISPLAY']
    else process.env['DISPLAY'] = DISPLAY
  })
  Object.assign(process.env, { PATH: [join(home, 'bin'), PATH].join(delimiter), DISPLAY: ':none' })
  for (const address of ['file:///etc/passwd', 'javascript:alert(1)', '--help', '-x']) openBrowser(address)
  openBrowser('http://127.0.0.1:1/?token=a&b=$(touch x)')
  await expect
    .poll(() => existsSync(record) && readFileSync(record, 'utf8'))
    .toBe('http://127.0.0.1:1/?token=a&b=$(touch x)\0')
})
