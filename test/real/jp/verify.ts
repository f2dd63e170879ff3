// Compares rethread with JP: node test/real/jp/verify.ts VERDICTS [--judge PROGRAM] [--changes COUNT] [--seed NUMBER]
// [--jp PROGRAM] [--sets NAME,NAME] [--keep FILE] [--write]
//
// VERDICTS is a gzipped JSON file: `base` holds the files of whole conversations by set, and each of `cases`
// replaces one of them by `text` or `base64`, with the verdict of JP: loads, fails or trash. The judge is JP's own
// loader (see README.md). With it, every repaired conversation is loaded by JP, and COUNT new changes are judged. With
// --jp, the flags of flag-lines.txt are compared with that program. Results are merged into FILE, so that the sets can be
// measured one by one; with --write and no set, docs/verified-jp.md is made of what is there.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { classifyCopy } from '../../../src/agents/jp/classify/index.ts'
import { folderAt } from '../../../src/agents/jp/conversations.ts'
import { sanitizer } from '../../../src/agents/jp/sanitize/index.ts'
import { makeSilentDecider } from '../../../src/agents/silent-decider.ts'
import { environmentOf } from '../../support/home.ts'
import { makeChanges } from './changes.ts'
import { compareFlags, type FlagsCompared } from './flags.ts'
import { type Judge, makeJudge } from './judge.ts'

const verdictsSchema = z.object({
  base: z.record(z.string(), z.record(z.string(), z.string())),
  cases: z.array(
    z.object({
      set: z.string(),
      file: z.string(),
      jp: z.enum(['loads', 'fails', 'trash']),
      text: z.string().optional(),
      base64: z.string().optional(),
    }),
  ),
})

interface Case {
  files: Record<string, Buffer>
  jp: 'loads' | 'fails' | 'trash'
}

interface Row {
  set: string
  count: number
  /** JP does not load it, and rethread calls it healthy. */
  missed: number
  /** JP loads it, and rethread does not. */
  falseAlarms: number
  otherVerdict: number
  /** JP loads it, and a repair changed a byte of it. */
  touched: number
  damaged: number
  repaired: number
  /** Judged by JP itself; undefined without a judge. */
  loads: number | undefined
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    judge: { type: 'string' },
    jp: { type: 'string' },
    changes: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    sets: { type: 'string' },
    keep: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const [path] = positionals
if (path === undefined) throw new Error('Specify a file of verdicts.')
const verdicts = verdictsSchema.parse(JSON.parse(gunzipSync(readFileSync(path)).toString('utf8')))
const judge = values.judge === undefined ? undefined : makeJudge(values.judge)

const WORDS = { loads: 'loads', 'locked-out': 'fails', trashed: 'trash', blocked: 'blocked' }
const FIRST_ID = 17_000_000_000
const SHORT = { 'metadata.json': 'm', 'base_config.json': 'b', 'events.json': 'e' } as const
/** As many conversations as one workspace holds at once. */
const AT_ONCE = 1000

const NOTHING = { touched: 0, damaged: 0, repaired: 0, loads: undefined }
const FLAGS_INTRODUCTION = `Each line of \`test/real/jp/flag-lines.txt\` was given to \`jp query --new\`, built from the same commit
with models that answer at once, and to rethread as the flags of a conversation that was begun
without any. JP resolved both.`

interface Results {
  rows: Row[]
  flags?: FlagsCompared
}

const wanted = values.sets?.split(',').filter(Boolean) ?? Object.keys(verdicts.base)
const measured: Results = { rows: [] }
for (const set of wanted) measured.rows.push(await measure(set, casesOf(set)))
if (judge !== undefined && Number(values.changes) > 0)
  measured.rows.push(await measure(`changes by seed ${values.seed}`, newCases(judge)))
if (judge !== undefined && values.jp !== undefined) measured.flags = compareFlags(values.jp, judge)
const { rows, flags } = merged(values.keep, measured)
process.stdout.write(`${tableOf(rows)}\n${flags === undefined ? '' : flagsText(flags)}`)
if (values.write) writeFileSync(join(import.meta.dirname, '../../../docs/verified-jp.md'), documentOf(rows, flags))

/** A result that was kept counts until the same set is measured again. */
function merged(keep: string | undefined, results: Results): Results {
  if (keep === undefined) return results
  const kept: Results = existsSync(keep) ? JSON.parse(readFileSync(keep, 'utf8')) : { rows: [] }
  const others = kept.rows.filter(({ set }) => results.rows.every(row => row.set !== set))
  const all = { ...kept, ...results, rows: [...others, ...results.rows].toSorted((a, b) => (a.set < b.set ? -1 : 1)) }
  writeFileSync(keep, JSON.stringify(all))
  return all
}

function casesOf(set: string): Case[] {
  const base = filesFrom(verdicts.base[set] ?? {})
  return verdicts.cases
    .filter(one => one.set === set)
    .map(({ file, text, base64, jp }) => {
      const bytes = text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text)
      return { files: { ...base, [file]: bytes }, jp }
    })
}

function newCases(judged: Judge): Case[] {
  const full: Record<string, unknown> = JSON.parse(readFileSync(join(import.meta.dirname, 'full.json'), 'utf8'))
  const format = (content: unknown): string => `${JSON.stringify(content, null, 2)}\n`
  const wholes = [
    Object.fromEntries(Object.entries(full).map(([name, content]) => [name, format(content)])),
    verdicts.base['config'] ?? {},
  ]
  const changes = makeChanges(Number(values.seed), wholes)
  const made = Array.from({ length: Number(values.changes) }, () => changes.next().value)
  const all = made.map(({ files, file, bytes }) => ({ ...filesFrom(files), [file]: bytes }))
  const answers = judged(all.map(shortened))
  return all.map((files, index) => {
    const jp = answers[index]?.jp ?? 'fails'
    return { files, jp: jp === 'query' ? 'fails' : jp }
  })
}

function filesFrom(files: Readonly<Record<string, string>>): Record<string, Buffer> {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)]))
}

function shortened(files: Record<string, Buffer>): object {
  return Object.fromEntries(Object.entries(SHORT).map(([name, key]) => [key, [...(files[name] ?? [])]]))
}

async function measure(set: string, cases: readonly Case[]): Promise<Row> {
  const row: Row = { set, count: cases.length, missed: 0, falseAlarms: 0, otherVerdict: 0, ...NOTHING }
  for (let from = 0; from < cases.length; from += AT_ONCE) await measureSome(cases.slice(from, from + AT_ONCE), row)
  return row
}

/** All of these are conversations of one workspace. */
async function measureSome(cases: readonly Case[], row: Row): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'rethread-jp-'))
  try {
    const folders = cases.map((one, index) => putCase(home, one, String(FIRST_ID + index * 100)))
    for (const [index, { jp }] of cases.entries()) {
      const ours = WORDS[classifyCopy(folderAt(folders[index] ?? '', 'active')).judgement.type]
      if (jp !== 'loads') row.damaged++
      if (ours === 'loads' && jp !== 'loads') row.missed++
      else if (ours !== 'loads' && jp === 'loads') row.falseAlarms++
      else if (ours !== jp) row.otherVerdict++
    }
    const place = { environment: environmentOf(home), state: join(home, 'state'), folder: join(home, 'shop') }
    await sanitizer.run({ ...place, mode: 'repair', decide: makeSilentDecider(), salvage: true, force: true })
    row.touched += cases.filter((one, index) => one.jp === 'loads' && !isAsItWas(one, folders[index] ?? '')).length
    const kept = folders.filter((folder, index) => cases[index]?.jp !== 'loads' && existsSync(folder))
    row.repaired += kept.length
    const answers = judge?.(kept.map(folder => shortened(filesIn(folder))))
    if (answers !== undefined) row.loads = (row.loads ?? 0) + answers.filter(({ jp }) => jp === 'loads').length
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function putCase(home: string, { files }: Case, name: string): string {
  const folder = join(home, 'shop/.jp/conversations', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(home, 'shop/.jp/.id'), 'Do not edit this file.\nab1cd\n')
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content)
  return folder
}

function filesIn(folder: string): Record<string, Buffer> {
  const names = Object.keys(SHORT).filter(name => existsSync(join(folder, name)))
  return Object.fromEntries(names.map(name => [name, readFileSync(join(folder, name))]))
}

function isAsItWas({ files }: Case, folder: string): boolean {
  if (!existsSync(folder) || readdirSync(folder).length !== Object.keys(files).length) return false
  return Object.entries(files).every(([name, content]) => readFileSync(join(folder, name)).equals(content))
}

function tableOf(all: readonly Row[]): string {
  const lines = all.map(({ set, count, missed, falseAlarms, otherVerdict, touched, damaged, repaired, loads }) =>
    ['', set, count, missed, falseAlarms, otherVerdict, touched, damaged, repaired, loads ?? 'not judged', '']
      .join(' | ')
      .trim(),
  )
  const head = '| set | cases | missed | false alarms | other verdict | touched | damaged | repaired | loads in JP |'
  return [head, '|---|---|---|---|---|---|---|---|---|', ...lines].join('\n')
}

function flagsText({ lines, same, refused, different }: FlagsCompared): string {
  const listed = (names: readonly string[]): string => names.map(name => `  - \`${name}\`\n`).join('')
  return `- Lines: ${lines}. Both refuse it, or both lead to the same configuration: ${same}.
- rethread refuses it, because a conversation that exists cannot store it: ${refused.length}.
${listed(refused)}- Different: ${different.length}.
${listed(different)}`
}

function documentOf(all: readonly Row[], compared: FlagsCompared | undefined): string {
  const sum = (field: 'count' | 'missed' | 'falseAlarms' | 'touched'): number =>
    all.reduce((total, row) => total + row[field], 0)
  const share = (count: number): string => `${((100 * count) / sum('count')).toFixed(2)} %`
  const flagsPart = compared === undefined ? '' : `\n## Flags\n\n${FLAGS_INTRODUCTION}\n\n${flagsText(compared)}`
  return `# JP, verified with JP itself

Written by \`test/real/jp/verify.ts\`. Each case is a conversation of three files in which one file
was changed: a single field, a single byte, or the whole file. JP (commit 4c1c39f, its own crates
for storage, conversations and configuration) said what it does with it, and so did rethread.

- Missed: JP does not load it, and \`rethread sanitize --check\` calls it healthy: ${sum('missed')} of
  ${sum('count')} (${share(sum('missed'))}).
- False alarms: JP loads it, and rethread calls it damaged: ${sum('falseAlarms')} (${share(sum('falseAlarms'))}).
- Other verdict: both call it damaged, but not whether JP trashes it or cannot load it.
- Touched: JP loads it, and a repair of its workspace changed a byte of it: ${sum('touched')}.
- Repaired: still there after \`rethread sanitize --non-interactive --salvage\`.
- Loads in JP: of the repaired ones, JP loads the conversation and resolves its configuration.

${tableOf(all)}
${flagsPart}`
}
