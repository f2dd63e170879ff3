// The pages people read: short, with links that resolve, and complete by the lists in the code.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { OpenAPIHono } from '@hono/zod-openapi'
import { describe, expect, test } from 'vitest'
import { agents } from '../src/agents/index.ts'
import { commands } from '../src/cli/commands/index.ts'
import { repairsCommand } from '../src/cli/commands/repairs.ts'
import { DEFAULT_PORT } from '../src/cli/commands/serve.ts'
import { EXIT, EXIT_MEANINGS } from '../src/cli/exit-status.ts'
import { MAX_TOTAL_BYTES, SNAPSHOT_DAYS, SNAPSHOTS_PER_SESSION } from '../src/disk/state/snapshots.ts'
import { BACKUP_DAYS } from '../src/disk/vault/receipts.ts'
import { MAX_FINDINGS } from '../src/model/finding.ts'
import { MAX_NAME_CHARACTERS, MAX_TAG_CHARACTERS, MAX_TAGS } from '../src/model/label.ts'
import { damages } from '../src/repair/damage/index.ts'
import type { Bindings } from '../src/server/http.ts'
import { MAX_BODY_BYTES, MAX_CLIENTS, MAX_TERMINALS, MAX_UNAUTHENTICATED } from '../src/server/limits.ts'
import { clientMessageSchema, serverMessageSchema } from '../src/server/protocol.ts'
import { addRoutes } from '../src/server/routes/index.ts'
import type { Services } from '../src/server/services.ts'
import * as repairs from './real/document-words.ts'
import * as restores from './real/restores/document-words.ts'
import { LAYERS } from './rules/layers.ts'

const ROOT = join(import.meta.dirname, '..')
const MAX_README_LINES = 160
const MAX_AGENTS_LINES = 80
const MAX_LINE_CHARACTERS = 100
const FOLDERS = [
  '.ci',
  '.github',
  'bench',
  'bin',
  'changelog',
  'docs',
  'scanner/src',
  'scripts',
  'src',
  'test',
  'web/src',
]
const NUMBERS = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
]

interface Page {
  path: string
  text: string
}

const readPage = (path: string): Page => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })
const readme = readPage('README.md')
const docs = readdirSync(join(ROOT, 'docs'))
  .filter(name => name.endsWith('.md'))
  .map(name => readPage(join('docs', name)))
const top = ['AGENTS.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'].map(readPage)
const formats = agents.map(({ id }) => readPage(`src/agents/${id}/FORMAT.md`))
const others = ['bench/README.md', 'test/real/README.md', 'test/fixtures/recorded/README.md'].map(readPage)
const pages = [readme, ...docs, ...top, ...formats, ...others]
const unreleased = join('changelog', 'unreleased')
/** There are none right after a release. */
const fragments = existsSync(join(ROOT, unreleased))
  ? readdirSync(join(ROOT, unreleased)).map(name => readPage(join(unreleased, name)))
  : []
/** The measured pages are written by test/real. */
const written = pages.filter(({ text }) => !text.includes('Do not edit it by hand'))

interface Line {
  text: string
  number: number
}

/** Without code blocks, whose lines belong to programs. */
function proseOf({ text }: Page): Line[] {
  let isCode = false
  return text.split('\n').flatMap((line, index) => {
    const isFence = line.trimStart().startsWith('```')
    if (isFence) isCode = !isCode
    return isFence || isCode ? [] : [{ text: line, number: index + 1 }]
  })
}

function isTableOrLink(line: string): boolean {
  return line.startsWith('|') || /^[-*\s]*!?\[[^\]]*\]\([^)]*\)[.,]?$/.test(line)
}

function findLongLines(page: Page): string[] {
  return proseOf(page)
    .filter(({ text }) => text.length > MAX_LINE_CHARACTERS && !isTableOrLink(text))
    .map(({ number }) => `${page.path}:${number}`)
}

/** As GitHub makes them from headings. */
function anchorsOf(page: Page): Set<string> {
  const headings = proseOf(page).flatMap(({ text }) => /^#{1,6} (.+)$/.exec(text)?.[1] ?? [])
  return new Set(
    headings.map(heading =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  )
}

function findBrokenLinks(page: Page): string[] {
  return proseOf(page).flatMap(({ text, number }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
      if (/^[a-z]+:/i.test(target)) return []
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? join(ROOT, page.path) : resolve(ROOT, dirname(page.path), path)
      const isThere = existsSync(file)
      const hasAnchor = anchor === undefined || (isThere && anchorsOf(readPage(relative(ROOT, file))).has(anchor))
      return isThere && hasAnchor ? [] : [`${page.path}:${number}: ${target}`]
    }),
  )
}

/** With slashes, from the root of the checkout. */
const paths = FOLDERS.flatMap(folder =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
    name => `/${folder}/${name.replaceAll('\\', '/')}`,
  ),
)

/**
 * Words in backticks that name a path: from the root, or the end of one that has an extension of a source. A pattern
 * such as `src/agents/<name>/index.ts` names none.
 */
function findMissingPaths(page: Page): string[] {
  return proseOf(page).flatMap(({ text, number }) =>
    [...text.matchAll(/`([^`]+)`/g)]
      .flatMap(([, code = '']) => code.split(/\s+/))
      .filter(word => /^[\w./-]+$/.test(word))
      .map(word => word.replace(/\/$/, ''))
      .filter(word => {
        if (FOLDERS.some(folder => word.startsWith(`${folder}/`))) return !existsSync(join(ROOT, word))
        return /[\w-]\.(ts|tsx|js|rs|wasm)$/.test(word) && !paths.some(path => path.endsWith(`/${word}`))
      })
      .map(word => `${page.path}:${number}: ${word}`),
  )
}

function sectionsOf(page: Page): Map<string, string> {
  const parts = page.text.split(/^### `([^`]+)`$/m)
  return new Map(parts.flatMap((id, at) => (at % 2 === 1 ? [[id, parts[at + 1]?.split(/^## /m)[0] ?? '']] : [])))
}

const pageOf = (name: string): Page => readPage(join('docs', name))

describe('the pages', () => {
  test('are there', () => expect(docs.length).toBeGreaterThan(8))
  test('begin with a README of one sitting', () =>
    expect(readme.text.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_README_LINES))
  test('have an AGENTS.md that an agent reads in full', () =>
    expect(readPage('AGENTS.md').text.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_AGENTS_LINES))
  test('have no long lines outside tables and code, and neither has the next changelog', () =>
    expect([...pages, ...fragments].flatMap(findLongLines)).toEqual([]))
  test('have links that lead to a file and a heading', () => expect(pages.flatMap(findBrokenLinks)).toEqual([]))
  test('name files and folders that exist', () => expect([...top, ...others].flatMap(findMissingPaths)).toEqual([]))
  test('are all linked from the README', () => {
    for (const { path } of docs) expect(readme.text).toContain(`(${path.replaceAll('\\', '/')})`)
  })
  test('use the words of the glossary', () => {
    const old = /\b(mend(s|ed|ing)?|told|anew|whoever|rungs?|desk)\b/i
    const found = pages.flatMap(page =>
      proseOf(page).flatMap(({ text, number }) => (old.test(text) ? [`${page.path}:${number}`] : [])),
    )
    expect(found).toEqual([])
  })
})

describe('the rules', () => {
  const planted = (text: string): Page => ({ path: 'README.md', text })

  test('refuse a long line, but not in a table or in code', () => {
    const long = 'x'.repeat(MAX_LINE_CHARACTERS + 1)
    expect(findLongLines(planted(`a\n${long}`))).toEqual(['README.md:2'])
    expect(findLongLines(planted(`| ${long} |\n\`\`\`\n${long}\n\`\`\``))).toEqual([])
  })
  test('refuse a link to a file or a heading that does not exist', () => {
    expect(findBrokenLinks(planted('[a](docs/nothing.md)'))).toHaveLength(1)
    expect(findBrokenLinks(planted('[a](docs/server.md#nothing)'))).toHaveLength(1)
    expect(findBrokenLinks(planted('[a](docs/server.md#the-token) [b](https://example.org)'))).toEqual([])
  })
  test('refuse a path that does not exist', () => {
    const missing = '`src/no-such-layer/` `npm run tests -- src/repair/nothing.test.ts` `scan/no-such-file.ts`'
    expect(findMissingPaths(planted(missing))).toHaveLength(3)
    const there = '`src/agents/` `npm run tests -- src/repair` `check/reach.ts` `src/agents/<name>/index.ts` `vault/`'
    expect(findMissingPaths(planted(there))).toEqual([])
  })
})

describe('the documentation is true:', () => {
  const counted = (count: number) => count.toLocaleString('en')

  test('a layer imports only from rows above it in the table of layers', () => {
    const { text } = readPage('ARCHITECTURE.md')
    const rows = [...text.matchAll(/^\| `([\w/-]+)\/` \|/gm)].map(([, name = '']) => name.replace(/^disk\/.*/, 'disk'))
    expect(Object.keys(LAYERS).filter(layer => !rows.includes(layer))).toEqual([])
    for (const [layer, below] of Object.entries(LAYERS))
      for (const other of below) expect(rows.indexOf(other), `${layer}: ${other}`).toBeLessThan(rows.indexOf(layer))
  })
  test('addresses have the default port, unless the page starts the server on another', () => {
    for (const { text } of [readme, ...docs]) {
      const named = new Set([...text.matchAll(/--port (\d+)/g)].map(([, port]) => port))
      for (const [, port] of text.matchAll(/127\.0\.0\.1:(\d+)/g))
        if (!named.has(port)) expect(port).toBe(String(DEFAULT_PORT))
    }
    expect(pageOf('server.md').text).toContain(`from ${DEFAULT_PORT} `)
  })
  test.each([
    ['../README.md', `${NUMBERS[agents.length]} agents`],
    ['checks-and-repairs.md', `${BACKUP_DAYS} days`],
    [
      'getting-started.md',
      `${NUMBERS[SNAPSHOTS_PER_SESSION]} a session and ${MAX_TOTAL_BYTES / 2 ** 30} GB, for ${SNAPSHOT_DAYS} days`,
    ],
    ['interfaces.md', `${counted(MAX_FINDINGS)} findings`],
    ['export.md', `${MAX_NAME_CHARACTERS} characters`],
    ['export.md', `tag ${MAX_TAG_CHARACTERS}, a conversation ${MAX_TAGS} tags`],
    ['server.md', `| ${counted(MAX_CLIENTS)}, counted after`],
    ['server.md', `| ${counted(MAX_UNAUTHENTICATED)}; then`],
    ['server.md', `| ${MAX_BODY_BYTES / 1024} KB; prompts`],
    ['server.md', `| ${MAX_TERMINALS} |`],
  ])('%s says: %s', (name, words) => expect(pageOf(name).text.replaceAll(/\s+/g, ' ')).toContain(words))
  test.each([
    ['verified-repairs.md', repairs],
    ['verified-restores.md', restores],
  ])('%s has the text that a run would write', (name, { FOREWORD, HOW_TO_READ, AFTERWORD }) => {
    const { text } = pageOf(name)
    for (const part of [FOREWORD, HOW_TO_READ, AFTERWORD]) expect(text).toContain(part)
  })
  test('the help of "rethread repairs" says how long copies are kept', () => {
    const texts = [repairsCommand.help ?? '', ...repairsCommand.options.map(({ description }) => description)]
    const days = texts.flatMap(text => [...text.matchAll(/(\d+) days/g)].map(([, count]) => Number(count)))
    expect(days).toEqual([BACKUP_DAYS, BACKUP_DAYS])
  })
})

describe('the documentation is complete:', () => {
  test('every damage, and nothing else, has a section with symptom, effect and repair', () => {
    const sections = sectionsOf(pageOf('checks-and-repairs.md'))
    expect([...sections.keys()].sort()).toEqual(damages.map(({ id }) => id).sort())
    for (const [id, text] of sections)
      for (const label of ['What it looks like.', 'What the agent does.', 'What the repair does.'])
        expect(text.split(`**${label}**`), `${id}: ${label}`).toHaveLength(2)
  })
  test('every command is described', () => {
    const all = written.map(({ text }) => text).join('\n')
    for (const { name, isHidden } of commands)
      if (isHidden !== true) expect(all).toMatch(new RegExp(`rethread ${name}\\b`))
  })
  test('the JSON document of every command is described, or that it has none', () => {
    const [, section = ''] = pageOf('interfaces.md').text.split(/^## (?:JSON output|Exit statuses)$/m)
    for (const { name, isHidden } of commands)
      if (isHidden !== true) expect(section).toMatch(new RegExp(`\`${name}[ \`]`))
  })
  test('every exit status has its meaning in the README and among the interfaces', () => {
    for (const { text } of [readme, pageOf('interfaces.md')])
      for (const [name, status] of Object.entries(EXIT))
        expect(text.replaceAll('`', '')).toContain(`\n| ${status} | ${EXIT_MEANINGS[name as keyof typeof EXIT]} |`)
  })
  test('every route of the API is listed', () => {
    const app = new OpenAPIHono<Bindings>()
    // Adding a route asks nothing of the services; only a request does.
    addRoutes(app, {} as Services)
    const routes = app.openAPIRegistry.definitions.flatMap(definition =>
      definition.type === 'route' ? [`${definition.route.method.toUpperCase()} ${definition.route.path}`] : [],
    )
    expect(routes.length).toBeGreaterThan(20)
    const { text } = pageOf('interfaces.md')
    expect(routes.filter(route => !text.includes(`\`${route}\``))).toEqual([])
  })
  test('every message of the socket is listed', () => {
    const { text } = pageOf('interfaces.md')
    const types = [...clientMessageSchema.options, ...serverMessageSchema.options].map(({ shape }) => shape.type.value)
    expect(types.filter(type => !text.includes(`\`${type}\``))).toEqual([])
  })
})
