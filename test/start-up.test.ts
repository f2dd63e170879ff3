// What commands load before they do anything. A library with a hundred files takes longer than a check.
import { spawnSync } from 'node:child_process'
import { closeSync, globSync, openSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { rethreadWith } from './support/cli.ts'
import { temporaryHome } from './support/home.ts'
import { rethreadBin } from './support/package.ts'

const SOURCE = join(import.meta.dirname, '..', 'src')
const STATIC_IMPORT = /^(?:import|export) (?!type )[^'"]*?from ['"]([^'"]+)['"]/gm
const SLOW = new Set(['zod', 'pino', 'hono', 'kysely', 'yaml'])

/** Each file that is loaded with this one, and the libraries that it imports. */
function loadedWith(file: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const left = [join(SOURCE, file)]
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (found.has(path)) continue
    const names = Array.from(readFileSync(path, 'utf8').matchAll(STATIC_IMPORT), ([, name = '']) => name)
    found.set(
      path,
      names.filter(name => SLOW.has(name)),
    )
    for (const name of names) if (name.startsWith('.')) left.push(join(dirname(path), name))
  }
  return found
}

test.each([
  'cli/main.ts',
  'catalog/context.ts',
  'catalog/list.ts',
  'search/index.ts',
  'search/searcher.ts',
  'cli/commands/search.ts',
  'cli/print/search.ts',
  'repair/check/check.ts',
  'repair/check/check-many.ts',
  'repair/verdicts/verdict-cache.ts',
  'repair/repair.ts',
  'repair/repair-many.ts',
  'repair/queue/check-worker.ts',
  'catalog/summary-worker.ts',
])('%s is loaded without a library that starts slowly', file => {
  const slow = [...loadedWith(file)].filter(([, names]) => names.length > 0)
  expect(slow).toEqual([])
})

// The tables of a language take 12 ms to load.
test('numbers are formatted without the tables of a language', () => {
  const files = globSync('**/*.ts', { cwd: SOURCE }).filter(file => !file.endsWith('.test.ts'))
  const formatting = files.filter(file => /toLocaleString\('en'\)/.test(readFileSync(join(SOURCE, file), 'utf8')))
  expect(formatting).toEqual([])
})

const UNUSED = ['child_process', 'crypto', 'http', 'perf_hooks', 'readline', 'worker_threads', 'zlib']
const PRINT_LOADED = 'process.on("exit",()=>console.error("loaded:"+JSON.stringify(process.moduleLoadList)))'

test.each(['--help', 'agents', 'check', 'list'])('rethread %s loads no built-in module in vain', async command => {
  const { stderr } = await rethreadWith(
    temporaryHome(),
    {
      NODE_OPTIONS: `${process.env['NODE_OPTIONS']} --import=data:text/javascript,${encodeURIComponent(PRINT_LOADED)}`,
    },
    command,
  )
  const loaded: string[] = JSON.parse(stderr.slice(stderr.indexOf('loaded:') + 'loaded:'.length))
  expect(loaded).toContain('NativeModule path')
  expect(UNUSED.filter(name => loaded.includes(`NativeModule ${name}`))).toEqual([])
})

const PRINT_LOADED_BARE = 'process.on("exit",()=>process._rawDebug(JSON.stringify(process.moduleLoadList)))'

// A program that reads the output from a file, and errors from a pipe.
test.each(['--help', 'check', 'list'])('rethread %s makes no stream for errors that it does not have', command => {
  const home = temporaryHome()
  const stdout = openSync(join(home, 'stdout'), 'w')
  const { stderr } = spawnSync(process.execPath, [rethreadBin, '--home', home, command, '--json'], {
    env: {
      ...process.env,
      NODE_OPTIONS: `${process.env['NODE_OPTIONS']} --import=data:text/javascript,${encodeURIComponent(PRINT_LOADED_BARE)}`,
    },
    stdio: ['ignore', stdout, 'pipe'],
    encoding: 'utf8',
  })
  closeSync(stdout)
  expect(JSON.parse(stderr)).toContain('NativeModule path')
  expect(JSON.parse(stderr)).not.toContain('NativeModule net')
})
