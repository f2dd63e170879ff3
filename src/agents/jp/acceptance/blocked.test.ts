// A file that may not be read or written is not damaged: the real command, without the permissions, on real files.

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../../test/support/home.ts'
import { NAME, putOne } from '../../../../test/support/jp/run.ts'
import { rethreadBin } from '../../../../test/support/package.ts'
import type { SanitizeReport } from '../../sanitizer.ts'

const NOBODY = 65534
const isRoot = process.getuid?.() === 0
const canTry = process.platform !== 'win32' && (!isRoot || existsSync('/usr/bin/setpriv'))

/** Root may read everything, so that for root another person does it. */
function sanitizeAsSomebody(home: string, ...flags: string[]): { status: number | null; report: SanitizeReport } {
  const command = [
    process.execPath,
    rethreadBin,
    '--home',
    home,
    '--state',
    join(home, 'state'),
    'sanitize',
    join(home, 'shop'),
  ]
  const lowered = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []
  if (isRoot) spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, home])
  const [program = '', ...args] = [...lowered, ...command, '--non-interactive', '--json', ...flags]
  const { status, stdout } = spawnSync(program, args, { cwd: '/', encoding: 'utf8' })
  return { status, report: JSON.parse(stdout) }
}

function entry(folder: string): unknown[] {
  return readdirSync(folder).map(name => {
    const { ino, mtimeNs, size, mode } = statSync(join(folder, name), { bigint: true })
    return [name, ino, mtimeNs, size, mode]
  })
}

test.runIf(canTry)(
  'events without permission, beside damaged metadata: nothing is moved or repaired, and the status is 5',
  () => {
    const home = temporaryHome()
    const folder = putOne(home, { 'metadata.json': '{"title":"x' })
    putOne(home, { 'metadata.json': undefined }, '17935270000-other')
    chmodSync(join(folder, 'events.json'), 0)
    const before = entry(folder)
    for (const flags of [[], ['--check'], ['--force', '--salvage']]) {
      const { status, report } = sanitizeAsSomebody(home, ...flags)
      expect(status, flags.join()).toBe(5)
      expect(report.blocked).toMatchObject([{ conversation: NAME, file: 'events.json' }])
      expect(report.trashed).toEqual([])
      expect(report.repaired.filter(({ conversation }) => conversation === NAME)).toEqual([])
    }
    expect(entry(folder)).toEqual(before)
    expect(existsSync(join(home, 'shop/.jp/conversations/.trash'))).toBe(false)
  },
)

test.runIf(canTry)(
  'a folder that may not be written is blocked, with everything as it was, and repaired once it may',
  () => {
    const home = temporaryHome()
    const folder = putOne(home, { 'metadata.json': '{"title":"x' })
    const before = entry(folder)
    chmodSync(folder, 0o555)
    const refused = sanitizeAsSomebody(home)
    expect([refused.status, refused.report.blocked.length, refused.report.repaired.length]).toEqual([5, 1, 0])
    expect(entry(folder)).toEqual(before)
    chmodSync(folder, 0o755)
    const { status, report } = sanitizeAsSomebody(home)
    expect([status, report.blocked.length, report.repaired.length]).toEqual([0, 0, 1])
  },
)
