// Every file, in every state, with and without somebody to ask: what becomes of the conversation.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { put } from '../../../../test/support/home.ts'
import { files, injectFiles } from '../../../disk/files.ts'
import type { SanitizeReport } from '../../sanitizer.ts'
import type { ManagedFile } from '../names.ts'
import { linesOf, NAME, person, putOne, run, treeOf } from './test-run.ts'

const DEEP = `${'['.repeat(200)}${']'.repeat(200)}`
const STATES: Record<string, (path: string, home: string) => void> = {
  missing: path => rmSync(path),
  empty: path => writeFileSync(path, ' \n'),
  'a comma too many': path => writeFileSync(path, `${readFileSync(path, 'utf8').trimEnd().slice(0, -1)},]`),
  cut: path => truncateSync(path, 20),
  'another shape': path => writeFileSync(path, 'null'),
  'no characters': path => writeFileSync(path, Buffer.from('[{"timestamp":"","type":"\xff"}]', 'latin1')),
  'half a character': path => writeFileSync(path, '[{"timestamp":"","type":"\\ud800"}]'),
  'too deep': path => writeFileSync(path, `[{"timestamp":"","type":"x","a":${DEEP}}]`),
  'not allowed': path => {
    const base = files()
    onTestFinished(
      injectFiles({
        ...base,
        openPlain(name) {
          if (name === path) throw Object.assign(new Error('injected'), { code: 'EACCES' })
          return base.openPlain(name)
        },
      }),
    )
  },
  'a directory': path => {
    rmSync(path)
    mkdirSync(path)
    writeFileSync(join(path, 'inside'), 'x')
  },
  'a pipe': path => {
    rmSync(path)
    execFileSync('mkfifo', [path])
  },
  'a link to a good file': path => {
    writeFileSync(`${path}.real`, readFileSync(path))
    rmSync(path)
    symlinkSync(`${path}.real`, path)
  },
  'a link to nothing': path => {
    rmSync(path)
    symlinkSync('nowhere', path)
  },
  'a link out of the storage': (path, home) => {
    put(home, 'elsewhere.json', readFileSync(path))
    rmSync(path)
    symlinkSync(join(home, 'elsewhere.json'), path)
  },
  'too large': path => truncateSync(path, 600 * 1024 * 1024),
}

type Outcome = 'none' | keyof Omit<SanitizeReport, 'isInterrupted' | 'conversations'>
/** Without and with somebody who leaves everything as it is. */
type Row = [silent: Outcome, asked: Outcome | `asked ${Outcome}`]

const small = (damaged: Row): Record<string, Row> => ({
  missing: damaged,
  empty: damaged,
  'a comma too many': damaged,
  cut: damaged,
  'another shape': damaged,
  'no characters': damaged,
  'half a character': damaged,
  'too deep': damaged,
  'not allowed': ['blocked', 'blocked'],
  'a directory': damaged,
  'a pipe': ['blocked', 'blocked'],
  'a link to a good file': ['none', 'none'],
  'a link to nothing': damaged,
  'a link out of the storage': damaged,
  'too large': ['blocked', 'blocked'],
})

const TABLE: Record<ManagedFile, Record<string, Row>> = {
  'metadata.json': small(['repaired', 'repaired']),
  'base_config.json': small(['repaired', 'repaired']),
  'init_config.json': { ...small(['degraded', 'asked degraded']), missing: ['none', 'none'] },
  'events.json': {
    ...small(['trashed', 'asked left']),
    'no characters': ['lockedOut', 'asked left'],
    'half a character': ['lockedOut', 'asked left'],
    'too deep': ['lockedOut', 'asked left'],
    'a directory': ['blocked', 'asked left'],
    'a link out of the storage': ['blocked', 'blocked'],
  },
}

function outcomeOf(report: SanitizeReport): string {
  const { isInterrupted: _, conversations: __, ...buckets } = report
  const filled = Object.entries(buckets).flatMap(([name, entries]) => (entries.length > 0 ? [name] : []))
  return filled.length === 0 ? 'none' : filled.join(' and ')
}

for (const [file, rows] of Object.entries(TABLE))
  describe(file, () => {
    for (const [state, [silent, asked]] of Object.entries(rows))
      test(`${state}: ${silent}, ${asked}`, async () => {
        for (const mode of ['silent', 'asked'] as const) {
          const home = quickHome()
          const init = { 'init_config.json': { delta: {} } }
          const path = join(putOne(home, init), file)
          STATES[state]?.(path, home)
          const before = treeOf(join(home, 'shop/.jp/conversations', NAME)).get(file)
          let isAsked = false
          const decide = person(
            () => {
              isAsked = true
              return { type: 'leave' }
            },
            () => {
              isAsked = true
              return { type: 'skip' }
            },
          )
          const report = await run(home, mode === 'asked' ? { decide } : {})
          expect(`${isAsked ? 'asked ' : ''}${outcomeOf(report)}`, mode).toBe(mode === 'asked' ? asked : silent)
          if (before !== undefined && state !== 'too large') expect([...treeOf(home).values()], mode).toContain(before)
          if (/repaired|degraded|trashed/.test(mode === 'asked' ? asked : silent))
            expect(linesOf(await run(home, { mode: 'check' })), mode).toEqual([])
        }
      })
  })

test('the table has a row for each state', () => {
  for (const rows of Object.values(TABLE)) expect(Object.keys(rows).sort()).toEqual(Object.keys(STATES).sort())
})
