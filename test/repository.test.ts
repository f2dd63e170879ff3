// What stands around the code: AGENTS.md, the workflow, the templates for reports, and what package.json says.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { LAYERS } from './rules/layers.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8')

describe('AGENTS.md', () => {
  const page = read('AGENTS.md')
  const paths = [...page.matchAll(/`((?:src|test|docs|web|changelog|scripts)\/[\w./-]+)`/g)].map(
    ([, path = '']) => path,
  )

  test('has at most 80 lines, none over 100 characters outside tables', () => {
    const lines = page.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(80)
    expect(lines.filter(line => line.length > 100 && !line.startsWith('|'))).toEqual([])
  })
  test('names every layer', () => {
    const named = [...page.matchAll(/^\| (`.+\/`) \|/gm)].flatMap(
      ([, cell = '']) => cell.match(/(?<=`)[\w/-]+(?=\/`)/g) ?? [],
    )
    expect(named.sort()).toEqual(Object.keys(LAYERS).sort())
  })
  test('leads to files that are there', () => {
    expect(paths.length).toBeGreaterThan(10)
    // A release takes the fragments away, and the folder with them.
    const there = paths.filter(path => path !== 'changelog/unreleased/')
    expect(there.filter(path => !existsSync(join(ROOT, path)))).toEqual([])
  })
  test('has only commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json'))
    const commands = [...page.matchAll(/npm (?:run )?([\w:]+)/g)].map(([, name = '']) => name)
    expect(commands.length).toBeGreaterThan(5)
    expect(commands.filter(name => !(name in scripts))).toEqual([])
  })
})

describe('the workflow', () => {
  const step = z.object({ name: z.string().optional(), run: z.string().optional(), uses: z.string().optional() })
  const workflow = z
    .object({
      jobs: z.object({
        readme: z.object({
          strategy: z.object({ matrix: z.object({ os: z.array(z.string()), node: z.array(z.number()) }) }),
          steps: z.array(step),
        }),
      }),
      permissions: z.unknown(),
    })
    .parse(parse(read('.github', 'workflows', 'ci.yml')))
  const { readme } = workflow.jobs

  test('runs on three systems with two Nodes', () => {
    const { os, node } = readme.strategy.matrix
    expect(os.map(name => name.split('-')[0])).toEqual(['ubuntu', 'macos', 'windows'])
    expect(node).toEqual([22, 24])
  })
  test('runs the two commands of the README', () => {
    const commands = [...read('README.md').matchAll(/^(npm (?:start|test))\b/gm)].map(([, command]) => command)
    expect(commands).toEqual(['npm start', 'npm test'])
    const named = readme.steps.flatMap(({ name = '' }) => (commands.includes(name) ? [name] : []))
    expect(named).toEqual(commands)
    expect(readme.steps.find(({ name }) => name === 'npm test')?.run).toBe('npm test')
    expect(readme.steps.find(({ name }) => name === 'npm start')?.run).toBe('node .ci/start.js')
    expect(read('.ci', 'start.js')).toContain("spawn('npm', ['start',")
  })
  test('may read the repository and nothing else', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' })
  })
})

describe('the templates for reports', () => {
  const folder = join(ROOT, '.github', 'ISSUE_TEMPLATE')
  const forms = readdirSync(folder).filter(name => name !== 'config.yml')
  const field = z.object({
    id: z.string(),
    attributes: z.object({ label: z.string(), description: z.string().optional() }),
  })
  const form = z.object({ name: z.string(), description: z.string(), body: z.array(field) })

  test('are there', () => expect(forms.length).toBeGreaterThan(1))
  test.each(forms)('%s asks for the output of check, and says what it holds', name => {
    const { body } = form.parse(parse(readFileSync(join(folder, name), 'utf8')))
    const check = body.find(({ id }) => id === 'check')?.attributes
    expect(check?.label).toContain('rethread check --json')
    expect(check?.description).toMatch(
      /paths[\s\S]*quote up to 60 characters[\s\S]*does not\s+hold your conversation|does not hold your conversation[\s\S]*quote up to 60/,
    )
  })
})

test('package.json says what the package is, and leads to what is built', () => {
  const manifest = JSON.parse(read('package.json'))
  expect(manifest).toMatchObject({
    repository: expect.any(String),
    bugs: expect.any(String),
    types: './dist/index.d.ts',
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
  })
  expect(manifest.keywords.length).toBeGreaterThan(3)
  // Types first: the first condition that fits is taken.
  expect(Object.keys(manifest.exports['.'])).toEqual(['types', 'default'])
})
