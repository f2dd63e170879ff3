// The trash is another disk: what goes there is copied, compared and removed, and a kill at any call loses nothing.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { temporaryHome } from '../../../../test/support/home.ts'
import { expectTidy, killAtEachCall, trashIsMounted } from '../../../../test/support/jp/kill.ts'
import { linesOf, NAME, placeIn, putOne, run, treeOf } from '../../../../test/support/jp/run.ts'
import { rethreadBin } from '../../../../test/support/package.ts'
import { files, injectFiles } from '../../../disk/files/system-calls.ts'
import { listReceipts } from '../../../disk/vault/receipts.ts'
import { recoverInterrupted } from '../../../disk/vault/recover.ts'
import { undoReceipt } from '../../../disk/vault/undo.ts'
import { makeSilentDecider } from '../../silent-decider.ts'
import { sanitizer } from './index.ts'

const CUT = '[{"timestamp":"2026-11-01 10:00:00.0","type":"turn_start"},{"tim'
const OLD = new Date('2026-11-02T00:00:00Z')

function mounted(): string {
  const home = quickHome()
  onTestFinished(injectFiles({ ...files(), ...trashIsMounted }))
  return home
}

function back(home: string) {
  return sanitizer.trash.restore({ ...placeIn(home), name: NAME, decide: makeSilentDecider(), salvage: true })
}

test('a conversation goes to the trash with its times, modes and links, and undo brings it back the same', async () => {
  const home = mounted()
  const folder = putOne(home, { 'events.json': CUT, 'notes/QUERY_MESSAGE.md': 'x' })
  symlinkSync('notes/QUERY_MESSAGE.md', join(folder, 'last'))
  chmodSync(join(folder, 'events.json'), 0o640)
  utimesSync(join(folder, 'events.json'), OLD, OLD)
  const before = treeOf(home)
  const { trashed } = await run(home)
  const target = trashed[0]?.target ?? ''
  expect(existsSync(folder)).toBe(false)
  for (const at of [target, folder]) {
    if (at === folder) await undoReceipt(join(home, 'state'), trashed[0]?.receipt ?? '')
    const { mode, mtime } = statSync(join(at, 'events.json'))
    expect([mode & 0o777, mtime, readFileSync(join(at, 'last'), 'utf8')]).toEqual([0o640, OLD, 'x'])
  }
  const after = new Map([...treeOf(home)].filter(([path]) => !path.startsWith('state/')))
  expect(after).toEqual(before)
})

test('a pipe in the folder blocks it, and everything stays where it is', async () => {
  const home = mounted()
  const folder = putOne(home, { 'events.json': CUT })
  execFileSync('mkfifo', [join(folder, 'odd')])
  const { blocked, trashed } = await run(home)
  expect(blocked).toMatchObject([{ line: expect.stringMatching(/odd is a named pipe/), error: 'not-a-regular-file' }])
  expect([trashed, existsSync(join(folder, 'events.json'))]).toEqual([[], true])
  expectTidy(home, 'refused')
})

test('killed at each call on the way there, with a note of an earlier time in it', async () => {
  await killAtEachCall(
    home => void putOne(home, { 'events.json': '[', 'TRASHED.md': 'older' }),
    home => run(home),
    async (home, call) => {
      await run(home)
      expectTidy(home, call)
      expect(linesOf(await run(home, { mode: 'check' })), call).toEqual([])
      const trashed = await sanitizer.trash.list(placeIn(home))
      expect(
        trashed.map(({ name, isOurs }) => [name, isOurs]),
        call,
      ).toEqual([[NAME, true]])
      expect([...treeOf(join(home, 'shop')).values()], call).toContain('older')
    },
    trashIsMounted,
  )
})

test('killed at each call on the way back, repaired on it', async () => {
  await killAtEachCall(
    async home => {
      putOne(home, { 'events.json': CUT })
      await run(home)
    },
    back,
    async (home, call) => {
      await recoverInterrupted(join(home, 'state'))
      const folder = join(home, 'shop/.jp/conversations', NAME)
      if (!existsSync(folder)) await back(home)
      expectTidy(home, call)
      expect(linesOf(await run(home, { mode: 'check' })), call).toEqual([])
      expect([...treeOf(folder).values()], call).toContain(CUT)
      expect(await sanitizer.trash.list(placeIn(home)), call).toEqual([])
    },
    trashIsMounted,
  )
})

test('killed at each call of the undo of a way back: it is in the trash again as it was, or stays', async () => {
  let before = new Map<string, string>()
  let after = new Map<string, string>()
  await killAtEachCall(
    async home => {
      putOne(home, { 'events.json': CUT })
      await run(home)
      before = treeOf(join(home, 'shop'))
      await back(home)
      after = treeOf(join(home, 'shop'))
    },
    home => undoReceipt(join(home, 'state'), listReceipts(join(home, 'state')).receipts[0]?.receipt.id ?? ''),
    async (home, call) => {
      await recoverInterrupted(join(home, 'state'))
      const isUndone = listReceipts(join(home, 'state')).receipts[0]?.receipt.state === 'undone'
      expect(treeOf(join(home, 'shop')), call).toEqual(isUndone ? before : after)
      expectTidy(home, call)
    },
    trashIsMounted,
  )
})

const canMount = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs none /mnt'], { stdio: 'ignore' }).status === 0

test.skipIf(!canMount)('a real mount (skipped where none can be made): there, back, and both undone', () => {
  const home = temporaryHome()
  const folder = putOne(home, { 'events.json': CUT })
  const trash = join(folder, '../.trash')
  mkdirSync(trash)
  const rethread = `"${process.execPath}" "${rethreadBin}" --home "${home}" --state "${home}/state"`
  const there = `test ! -e "${folder}" && test "$(cat "${trash}/${NAME}/events.json")" = '${CUT}'`
  const script = `set -e
    mount -t tmpfs none "${trash}"
    test "$(stat -c %d "${trash}")" != "$(stat -c %d "${home}")"
    cd "${home}/shop"
    ${rethread} sanitize --non-interactive || test $? = 4
    ${there}
    ${rethread} undo --force jp-c17935272000
    test ! -e "${trash}/${NAME}"
    ${rethread} sanitize --non-interactive || test $? = 4
    ${rethread} trash restore --salvage --non-interactive ${NAME}
    test -e "${folder}/events.json" && test ! -e "${trash}/${NAME}"
    ${rethread} undo --force jp-c17935272000
    ${there}
    test -z "$(ls -A "${trash}" "${home}/shop/.jp/conversations" | grep rethread-tmp)"`
  const { status, stderr, stdout } = spawnSync('unshare', ['-rm', 'sh', '-c', script], {
    encoding: 'utf8',
    env: { ...process.env, HOME: home, CI: '1' },
  })
  expect(`${stdout}${stderr}`).not.toMatch(/another disk|EXDEV/)
  expect(status, stderr).toBe(0)
})
