// A folder that goes to another disk and back: between two real file systems where the machine has them, and killed at each call where a rename says that there are two.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CALL_STEP, killAt, killWhen, quickHome, survives, watchCalls } from '../../../../test/support/faults.ts'
import { folderOnDisk, hasTwoDisks } from '../../../../test/support/home.ts'
import { LONG_AGO } from '../../../../test/support/repairs.ts'
import { identityOf } from '../../files/read.ts'
import { type Files, files, injectFiles, nodeFiles } from '../../files/system-calls.ts'
import { applyChanges } from '../apply.ts'
import { listReceipts } from '../receipts.ts'
import { recoverInterrupted } from '../recover.ts'
import { listUnfinished } from '../stored-vaults.ts'
import { undoReceipt } from '../undo.ts'

/** With all that a folder can hold. Folders that must not be written to are tried as well. */
function putFolder(path: string): void {
  mkdirSync(join(path, 'sub/sealed'), { recursive: true })
  mkdirSync(join(path, 'empty'))
  writeFileSync(join(path, 'events.json'), Buffer.from([0, 0xff, 0x0a, 0x61]), { mode: 0o640 })
  writeFileSync(join(path, 'sub/sealed/deep'), 'deep', { mode: 0o400 })
  symlinkSync('events.json', join(path, 'sub/near'))
  symlinkSync('/nowhere/at all', join(path, 'away'))
  const times = [LONG_AGO, new Date(LONG_AGO.getTime() + 1234)] as const
  for (const name of ['sub/sealed/deep', 'sub/sealed', 'sub/near', 'sub', 'away', 'empty', 'events.json', ''])
    lutimesSync(join(path, name), ...times)
  chmodSync(join(path, 'sub/sealed'), 0o555)
}

/** Everything in it with its mode and time; '' where there is nothing. */
function lookOf(path: string): string {
  if (!existsSync(path)) return ''
  const names = ['', ...readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()]
  return names.map(name => `${name} ${describeOne(join(path, name))}`).join('\n')
}

function describeOne(path: string): string {
  const stats = lstatSync(path)
  const content = stats.isFile()
    ? readFileSync(path, 'hex')
    : stats.isSymbolicLink()
      ? `-> ${readlinkSync(path)}`
      : 'folder'
  return `${stats.mode.toString(8)} ${stats.mtimeMs} ${content}`
}

function prepare(here: string, there: string) {
  const path = join(here, 'store/one')
  const to = join(there, 'trash/one')
  mkdirSync(dirname(path), { recursive: true })
  mkdirSync(dirname(to), { recursive: true })
  putFolder(path)
  const state = join(here, 'state')
  const request = () => ({
    ...{ state, agent: 'some-agent', sessionId: 'session-1', filePath: path },
    changes: [{ type: 'move' as const, file: path, to, damage: 'some-damage', reason: 'because' }],
    planned: [{ file: path, identity: identityOf(lstatSync(path, { bigint: true })) }],
  })
  return { path, to, state, request, before: lookOf(path) }
}

/** Nothing of ours may be left beside either. */
function namesBeside(...paths: string[]): string[] {
  return paths.flatMap(path => readdirSync(dirname(path))).filter(name => name.startsWith('.'))
}

/** Called after it is known how the folder is removed, and so done before. */
function unseal(folder: string): string {
  onTestFinished(() => void execFileSync('chmod', ['-R', 'u+rwx', folder]))
  return folder
}

describe.skipIf(!hasTwoDisks)('between two disks (skipped where /dev/shm is none of its own)', () => {
  test('a folder arrives whole, with modes, times and links, and comes back the same', async () => {
    const { path, to, state, request, before } = prepare(unseal(quickHome()), unseal(folderOnDisk()))
    const { id } = await applyChanges(request())
    expect([lookOf(path), lookOf(to)]).toEqual(['', before])
    expect(namesBeside(path, to)).toEqual([])
    writeFileSync(join(to, 'added'), 'by somebody, since')
    rmSync(join(to, 'added'))
    lutimesSync(to, LONG_AGO, new Date(LONG_AGO.getTime() + 1234))
    await undoReceipt(state, id)
    expect([lookOf(path), lookOf(to)]).toEqual([before, ''])
    expect(namesBeside(path, to)).toEqual([])
  })

  test.each([
    ['a named pipe', (folder: string) => execFileSync('mkfifo', [join(folder, 'empty/odd')])],
    ['a name that is not UTF-8', (folder: string) => writeFileSync(Buffer.from(`${folder}/empty/\xff`, 'latin1'), '')],
  ])('a folder with %s in it is refused before anything is done', async (_, spoil) => {
    const { path, to, state, request } = prepare(unseal(quickHome()), unseal(folderOnDisk()))
    spoil(join(path))
    await expect(applyChanges(request())).rejects.toThrow(/cannot be copied to another disk/)
    expect(existsSync(join(path, 'events.json'))).toBe(true)
    expect(existsSync(to)).toBe(false)
    expect([listUnfinished(state), listReceipts(state).receipts]).toEqual([[], []])
  })

  test('an undo that could not bring everything back is refused before anything is done', async () => {
    const { path, to, state, request } = prepare(unseal(quickHome()), unseal(folderOnDisk()))
    const { id } = await applyChanges(request())
    execFileSync('mkfifo', [join(to, 'odd')])
    await expect(undoReceipt(state, id)).rejects.toThrow(/odd is a named pipe/)
    expect([existsSync(path), existsSync(join(to, 'events.json'))]).toEqual([false, true])
    rmSync(join(to, 'odd'))
    await undoReceipt(state, id)
    expect(existsSync(join(path, 'events.json'))).toBe(true)
  })

  test('a full target disk is reported before anything is done', async () => {
    const { path, to, request, before } = prepare(unseal(quickHome()), unseal(folderOnDisk()))
    onTestFinished(injectFiles({ ...files(), space: folder => (to.startsWith(folder) ? 0 : nodeFiles.space(folder)) }))
    await expect(applyChanges(request())).rejects.toThrow(/are free/)
    expect([lookOf(path), lookOf(to)]).toEqual([before, ''])
  })
})

/** One disk that behaves like two: what is below `there` cannot be renamed out of it, nor anything into it. */
function twoDisks(): { here: string; there: string; rename: Files['rename'] } {
  const home = unseal(quickHome())
  const there = join(home, 'there')
  const rename: Files['rename'] = (from, to) => {
    if (from.startsWith(there) !== to.startsWith(there)) throw Object.assign(new Error('EXDEV'), { code: 'EXDEV' })
    nodeFiles.rename(from, to)
  }
  onTestFinished(injectFiles({ ...files(), rename }))
  return { here: join(home, 'here'), there, rename }
}

/** What a dead process has left: somewhere there is a whole one. */
function expectWhole(path: string, to: string, before: string, call: string): void {
  const places = [path, to].flatMap(one => readdirSync(dirname(one)).map(name => join(dirname(one), name)))
  expect(places.map(lookOf), call).toContain(before)
}

test('killed at each call, the next run has it in one place or the other, and whole', async () => {
  const { here, there, rename } = twoDisks()
  const outcomes = new Set<string>()
  for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
    const { path, to, state, request, before } = prepare(join(here, String(at)), join(there, String(at)))
    const fault = killAt(at, 'half', () => {}, { rename })
    isDone = await survives(applyChanges(request()), fault)
    fault.lift()
    expectWhole(path, to, before, `call ${at}`)
    for (const { outcome } of await recoverInterrupted(state)) outcomes.add(outcome)
    const receipt = listReceipts(state).receipts[0]?.receipt
    const isThere = receipt?.state === 'applied'
    expect([lookOf(path), lookOf(to)], `call ${at}`).toEqual(isThere ? ['', before] : [before, ''])
    if (isThere) await undoReceipt(state, receipt.id)
    expect([lookOf(path), lookOf(to)], `call ${at}`).toEqual([before, ''])
    expect(namesBeside(path, to), `call ${at}`).toEqual([])
  }
  expect([...outcomes].sort()).toEqual(['finished', 'nothing-changed', 'taken-back'])
})

test('the undo killed at each call is finished by the next run, or has not begun', async () => {
  const { here, there, rename } = twoDisks()
  const outcomes = new Set<string>()
  for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
    const { path, to, state, request, before } = prepare(join(here, String(at)), join(there, String(at)))
    const { id } = await applyChanges(request())
    const fault = killAt(at, 'half', () => {}, { rename })
    isDone = await survives(undoReceipt(state, id), fault)
    fault.lift()
    expectWhole(path, to, before, `call ${at}`)
    for (const { outcome } of await recoverInterrupted(state)) outcomes.add(outcome)
    const isUndone = listReceipts(state).receipts[0]?.receipt.state === 'undone'
    expect([lookOf(path), lookOf(to)], `call ${at}`).toEqual(isUndone ? [before, ''] : ['', before])
    expect(namesBeside(path, to), `call ${at}`).toEqual([])
  }
  expect(outcomes).toEqual(new Set(['undo-finished']))
})

test('a recovery that was killed at any call is continued by the next', async () => {
  const { here, there, rename } = twoDisks()
  for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
    const { path, to, state, request, before } = prepare(join(here, String(at)), join(there, String(at)))
    // Hidden, and its copy has no name yet.
    const dying = killWhen((name, [from]) => name === 'rename' && String(from).includes('-copy.'), { rename })
    await applyChanges(request()).catch(() => {})
    dying.lift()
    expect([existsSync(path), existsSync(to), namesBeside(path, to).length], `call ${at}`).toEqual([false, false, 2])
    const fault = killAt(at, 'half', () => {}, { rename })
    isDone = await survives(recoverInterrupted(state), fault)
    fault.lift()
    expectWhole(path, to, before, `call ${at}`)
    await recoverInterrupted(state)
    expect([lookOf(path), lookOf(to)], `call ${at}`).toEqual([before, ''])
    expect(namesBeside(path, to), `call ${at}`).toEqual([])
  }
})

test.each(['late', 'away-too', 'events.json'])(
  '%s, written while it is copied, stays, and nothing is moved',
  async name => {
    const { here, there, rename } = twoDisks()
    const { path, to, state, request } = prepare(here, there)
    watchCalls(
      (call, [, link]) => {
        if (call === 'makeLink' && String(link).endsWith('sub/near')) writeFileSync(join(path, name), 'late')
      },
      { ...files(), rename },
    )
    await expect(applyChanges(request())).rejects.toThrow(/written to while it was copied/)
    expect([readFileSync(join(path, name), 'utf8'), existsSync(to)]).toEqual(['late', false])
    expect([namesBeside(path, to), listReceipts(state).receipts]).toEqual([[], []])
  },
)

test('as long as the disk of the copy is not there, nothing is removed, and the next run with it settles it', async () => {
  const { here, there, rename } = twoDisks()
  const { path, to, state, request, before } = prepare(here, there)
  const fault = killAt(Number.POSITIVE_INFINITY, 'before', () => {}, {
    rename,
    removeFolder() {
      throw Object.assign(new Error('KILLED'), { code: 'KILLED' })
    },
  })
  await expect(applyChanges(request())).rejects.toThrow()
  fault.lift()
  renameSync(there, `${there}-away`)
  expect(await recoverInterrupted(state)).toMatchObject([
    { outcome: 'failed', text: expect.stringMatching(/its copy is not at .*trash\/one/) },
  ])
  expect(namesBeside(path)).toHaveLength(1)
  renameSync(`${there}-away`, there)
  expect(await recoverInterrupted(state)).toMatchObject([{ outcome: 'finished' }])
  expect([lookOf(path), lookOf(to)]).toEqual(['', before])
})
