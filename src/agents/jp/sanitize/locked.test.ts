// While JP holds the lock of a conversation, nothing in it is undone, finished or rolled back. Real locks of real processes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { killWhen } from '../../../../test/support/faults.ts'
import { environmentOf, temporaryHome } from '../../../../test/support/home.ts'
import { linesOf, NAME, placeIn, putBoth, putOne, run, treeOf } from '../../../../test/support/jp/run.ts'
import { SILO } from '../../../../test/support/jp/store.ts'
import { listReceipts } from '../../../disk/vault/receipts.ts'
import { listUnfinished } from '../../../disk/vault/stored-vaults.ts'
import { openRepairThread } from '../../../repair/queue/threads.ts'
import { finishInterrupted } from '../../../repair/repair.ts'
import { undoRepair } from '../../../repair/undo.ts'
import { makeSilentDecider } from '../../silent-decider.ts'
import { jp } from '../index.ts'
import { sanitizer } from './index.ts'

const LOCK = 'shop/.jp/locks/jp-c17935272000.lock'
const CUT = '[{"timestamp":"2026-11-01 10:00:00.0","type":"turn_start"},{"tim'

function contextOf(home: string) {
  return { agents: [jp], environment: environmentOf(home), state: join(home, 'state') }
}

/** As JP takes it. Returns its process, and how it lets go. */
async function lockAsJp(home: string, name = LOCK) {
  const path = join(home, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '{"pid":1,"acquired_at":"2026-11-01T10:00:00Z"}')
  const child = spawn('flock', ['-x', '--no-fork', path, 'sh', '-c', 'echo held; exec cat'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill())
  await once(child.stdout, 'data')
  writeFileSync(path, JSON.stringify({ pid: child.pid, acquired_at: '2026-11-01T10:00:00Z' }))
  const release = async (): Promise<void> => {
    child.stdin.end()
    await once(child, 'exit')
  }
  return { pid: child.pid, release }
}

function withoutFlock(home: string): () => void {
  vi.stubEnv('PATH', join(home, 'nothing'))
  const end = (): void => void vi.unstubAllEnvs()
  onTestFinished(end)
  return end
}

function withoutLocks(tree: Map<string, string>): Map<string, string> {
  return new Map([...tree].filter(([path]) => !path.endsWith('.lock')))
}

function lastReceipt(home: string): string {
  return listReceipts(join(home, 'state')).receipts[0]?.receipt.id ?? ''
}

describe('undo', () => {
  test('is refused with the process and what to paste, nothing is changed, and works once JP is done', async () => {
    const home = temporaryHome()
    putOne(home, { 'metadata.json': 'broken' })
    const before = treeOf(join(home, 'shop'))
    await run(home)
    const repaired = withoutLocks(treeOf(home))
    const id = lastReceipt(home)
    const held = await lockAsJp(home)
    await expect(undoRepair(contextOf(home), id, { force: true })).rejects.toMatchObject({
      code: 'locked',
      message: `Conversation jp-c17935272000 is in use: a running JP (process ${held.pid}) has it locked. Nothing was undone.`,
      hint: `Wait until it is done. See what it is: ps -fp ${held.pid}\nThen undo it: rethread undo ${id}`,
    })
    expect(withoutLocks(treeOf(home))).toEqual(repaired)
    await held.release()
    rmSync(join(home, LOCK))
    // rethread wrote the file a moment ago. While it holds JP's lock, that is not a sign of a running JP.
    await undoRepair(contextOf(home), id)
    expect(treeOf(join(home, 'shop'))).toEqual(before)
  })

  test('holds the lock of the user-local storage, where there is one, while it writes, and leaves none behind', async () => {
    const home = temporaryHome()
    putBoth(home, { 'metadata.json': 'broken' }, {})
    await run(home)
    const lock = `${SILO}/locks/jp-c17935272000.lock`
    const held = await lockAsJp(home, lock)
    await expect(undoRepair(contextOf(home), lastReceipt(home), { force: true })).rejects.toThrow(/in use/)
    await held.release()
    rmSync(join(home, lock))
    const seen: boolean[] = []
    const verdicts = { invalidate: () => void seen.push(existsSync(join(home, lock)), existsSync(join(home, LOCK))) }
    await undoRepair(contextOf(home), lastReceipt(home), { force: true, verdicts })
    expect([...seen, existsSync(join(home, lock))]).toEqual([true, false, false])
  })

  test('of a trashed conversation holds its lock, too', async () => {
    const home = temporaryHome()
    const folder = putOne(home, { 'events.json': CUT })
    await run(home)
    const held = await lockAsJp(home)
    await expect(undoRepair(contextOf(home), lastReceipt(home))).rejects.toThrow(/in use/)
    await held.release()
    await undoRepair(contextOf(home), lastReceipt(home))
    expect(existsSync(join(folder, 'events.json'))).toBe(true)
  })

  test('where locks cannot be taken is refused, unless a person says that no JP is at work', async () => {
    const home = temporaryHome()
    const folder = putOne(home, { 'events.json': CUT })
    await run(home)
    const id = lastReceipt(home)
    withoutFlock(home)
    await expect(undoRepair(contextOf(home), id)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(
        /could not be locked: there is neither a program flock nor Perl here\. Nothing was undone\.$/,
      ),
      hint: `Make sure that its agent is not running, then use --force: rethread undo ${id} --force`,
    })
    expect(existsSync(folder)).toBe(false)
    // A live process whose number stands in the file speaks louder than a person.
    mkdirSync(dirname(join(home, LOCK)), { recursive: true })
    writeFileSync(join(home, LOCK), `{"pid":${process.pid}}`)
    await expect(undoRepair(contextOf(home), id, { force: true })).rejects.toThrow(`process ${process.pid}`)
    rmSync(join(home, LOCK))
    await undoRepair(contextOf(home), id, { force: true })
    expect(existsSync(join(folder, 'events.json'))).toBe(true)
  })

  test('in the thread of the server is refused as well', async () => {
    const home = temporaryHome()
    const folder = putOne(home, { 'metadata.json': 'broken' })
    await run(home)
    const thread = openRepairThread(contextOf(home))
    onTestFinished(() => thread.close())
    const held = await lockAsJp(home)
    const order = { which: 'jp-c17935272000', force: false }
    await expect(thread.call('undo', order)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`a running JP (process ${held.pid}) has it locked`),
    })
    await held.release()
    const { restored } = await thread.call('undo', order)
    expect(restored).toEqual([join(folder, 'metadata.json')])
  })

  test('of a folder without an id needs no lock', async () => {
    const home = temporaryHome()
    const folder = putOne(home, {}, 'notes')
    await run(home)
    withoutFlock(home)
    await undoRepair(contextOf(home), lastReceipt(home))
    expect(existsSync(folder)).toBe(true)
  })

  test('in a workspace that is gone makes no folder of locks', async () => {
    const home = temporaryHome()
    putOne(home, { 'metadata.json': 'broken' })
    await run(home)
    renameSync(join(home, 'shop'), join(home, 'moved'))
    await expect(undoRepair(contextOf(home), lastReceipt(home), { force: true })).rejects.toThrow()
    expect(existsSync(join(home, 'shop'))).toBe(false)
  })
})

/** A repair that died after its first change. */
async function interrupt(home: string): Promise<void> {
  putOne(home, { 'metadata.json': 'broken', 'base_config.json': 'broken' })
  const fault = killWhen((name, [, to]) => name === 'rename' && String(to).endsWith(`${NAME}/base_config.json`))
  await run(home).catch(() => {})
  fault.lift()
  expect(listUnfinished(join(home, 'state'))).toHaveLength(1)
}

describe('what was interrupted', () => {
  test('is left for the next run while JP has it locked, and reported', async () => {
    const home = temporaryHome()
    await interrupt(home)
    const half = withoutLocks(treeOf(home))
    const held = await lockAsJp(home)
    const [entry] = await finishInterrupted(contextOf(home))
    expect(entry).toMatchObject({ outcome: 'skipped', code: 'locked' })
    expect(entry?.text).toMatch(
      new RegExp(
        `was interrupted, and is left for the next run\\. .* a running JP \\(process ${held.pid}\\) has it locked\\. .*ps -fp ${held.pid}$`,
      ),
    )
    const report = await run(home)
    expect(report.skipped).toMatchObject([
      {
        line: expect.stringMatching(/^Skipped: Repair .* left for the next run/),
        error: 'locked',
        conversation: NAME,
        root: join(home, 'shop/.jp'),
      },
      { line: expect.stringMatching(/^Skipped conversation /), error: 'locked', conversation: NAME },
    ])
    expect([report.repaired, report.blocked]).toEqual([[], []])
    expect(withoutLocks(treeOf(home))).toEqual(half)
    await held.release()
    expect(await finishInterrupted(contextOf(home))).toMatchObject([{ outcome: 'taken-back' }])
    expect((await run(home)).repaired).toHaveLength(2)
  })

  test('is left where locks cannot be taken, unless a person says that no JP is at work', async () => {
    const home = temporaryHome()
    await interrupt(home)
    const giveBack = withoutFlock(home)
    const report = await run(home)
    expect(report.blocked.map(({ error }) => error)).toEqual(['unsupported', 'unsupported'])
    expect(listUnfinished(join(home, 'state'))).toHaveLength(1)
    expect((await run(home, { force: true })).repaired).toHaveLength(2)
    giveBack()
    expect(linesOf(await run(home, { mode: 'check' }))).toEqual([])
  })

  test('in the trash is not settled either', async () => {
    const home = temporaryHome()
    putOne(home, { 'metadata.json': 'broken', 'events.json': CUT })
    await run(home)
    const restore = () =>
      sanitizer.trash.restore({ ...placeIn(home), name: NAME, decide: makeSilentDecider(), salvage: true })
    const fault = killWhen((name, [from]) => name === 'rename' && String(from).endsWith(`.trash/${NAME}`))
    await restore().catch(() => {})
    fault.lift()
    const held = await lockAsJp(home)
    expect((await restore()).skipped.map(({ error }) => error)).toEqual(['locked', 'locked'])
    await held.release()
    expect((await restore()).skipped).toEqual([])
    expect(existsSync(join(home, 'shop/.jp/conversations', NAME, 'events.json'))).toBe(true)
  })
})
