// Files that are changed, and the folder around them that is moved, in one repair: killed at each call, undone as one.
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { CALL_STEP, killAt, quickHome, survives } from '../../../../test/support/faults.ts'
import { identityOf } from '../../files/read.ts'
import { type Files, files, injectFiles, nodeFiles } from '../../files/system-calls.ts'
import { applyChanges } from '../apply.ts'
import { listReceipts } from '../receipts.ts'
import { recoverInterrupted } from '../recover.ts'
import { undoReceipt } from '../undo.ts'

const WHY = { damage: 'some-damage', reason: 'because' }

/** What is quarantined is a file, a folder and a link; besides, a file is written and one removed. */
function prepare(home: string) {
  const folder = join(home, 'here/one')
  const to = join(home, 'there/one')
  mkdirSync(join(folder, 'dir'), { recursive: true })
  mkdirSync(dirname(to), { recursive: true })
  writeFileSync(join(folder, 'file'), 'old file')
  writeFileSync(join(folder, 'dir/inside'), 'old folder')
  nodeFiles.makeLink(Buffer.from('nowhere'), join(folder, 'link'))
  writeFileSync(join(folder, 'note'), 'old note')
  const aside = (name: string) => ({
    ...{ type: 'move' as const, file: join(folder, name), to: join(folder, `${name}.old`), ...WHY },
    instead: { bytes: Buffer.from(`new ${name}`) },
  })
  const paths = ['file', 'dir', 'link', 'note', ''].map(name => join(folder, name).replace(/\/$/, ''))
  const request = {
    ...{ state: join(home, 'state'), agent: 'some-agent', sessionId: 'session-1', filePath: folder },
    changes: [
      ...[aside('file'), aside('dir'), aside('link')],
      { type: 'write' as const, file: join(folder, 'added'), bytes: Buffer.from('added'), ...WHY },
      { type: 'remove' as const, file: join(folder, 'note'), ...WHY },
      { type: 'move' as const, file: folder, to, ...WHY },
      { type: 'write' as const, file: join(to, 'told'), bytes: Buffer.from('told'), ...WHY },
    ],
    planned: paths.map(file => ({ file, identity: identityOf(lstatSync(file, { bigint: true })) })),
  }
  return { request, state: request.state, before: lookAt(home) }
}

function lookAt(home: string): string[] {
  return ['here', 'there'].flatMap(context =>
    readdirSync(join(home, context), { recursive: true, encoding: 'utf8' })
      .sort()
      .map(name => {
        const path = join(home, context, name)
        const stats = lstatSync(path)
        return `${context}/${name}: ${stats.isFile() ? readFileSync(path, 'utf8') : stats.isDirectory() ? 'folder' : 'link'}`
      }),
  )
}

const AFTER = [
  'there/one: folder',
  'there/one/added: added',
  'there/one/dir: new dir',
  'there/one/dir.old: folder',
  'there/one/dir.old/inside: old folder',
  'there/one/file: new file',
  'there/one/file.old: old file',
  'there/one/link: new link',
  'there/one/link.old: link',
  'there/one/told: told',
]

const DISKS: [string, Partial<Files>][] = [
  ['one disk', {}],
  [
    'two disks',
    {
      rename(from, to) {
        if (from.includes('/there/') !== to.includes('/there/'))
          throw Object.assign(new Error('EXDEV'), { code: 'EXDEV' })
        nodeFiles.rename(from, to)
      },
    },
  ],
]

test.each(DISKS)('on %s: done, and undone as one', async (_, changed) => {
  const home = quickHome()
  onTestFinished(injectFiles({ ...files(), ...changed }))
  const { request, state, before } = prepare(home)
  const { id, changes } = await applyChanges(request)
  expect(lookAt(home)).toEqual(AFTER)
  expect(changes.find(({ type }) => type === 'write')).toMatchObject({ after: { size: 5 } })
  await undoReceipt(state, id)
  expect(lookAt(home)).toEqual(before)
})

test.each(DISKS)('on %s: killed at each call, it is all done or all as before', async (_, changed) => {
  const base = quickHome()
  onTestFinished(injectFiles({ ...files(), ...changed }))
  const outcomes = new Set<string>()
  for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
    const home = join(base, String(at))
    const { request, state, before } = prepare(home)
    const fault = killAt(at, 'half', () => {}, changed)
    isDone = await survives(applyChanges(request), fault)
    fault.lift()
    for (const { outcome } of await recoverInterrupted(state)) outcomes.add(outcome)
    const receipt = listReceipts(state).receipts[0]?.receipt
    expect(lookAt(home), `call ${at}`).toEqual(receipt?.state === 'applied' ? AFTER : before)
    if (receipt?.state === 'applied') await undoReceipt(state, receipt.id)
    expect(lookAt(home), `call ${at}`).toEqual(before)
  }
  expect([...outcomes].sort()).toEqual(['finished', 'nothing-changed', 'taken-back'])
})

test.each(DISKS)('on %s: the undo killed at each call is finished, or has not begun', async (_, changed) => {
  const base = quickHome()
  onTestFinished(injectFiles({ ...files(), ...changed }))
  for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
    const home = join(base, String(at))
    const { request, state, before } = prepare(home)
    const { id } = await applyChanges(request)
    const fault = killAt(at, 'half', () => {}, changed)
    isDone = await survives(undoReceipt(state, id), fault)
    fault.lift()
    await recoverInterrupted(state)
    const isUndone = listReceipts(state).receipts[0]?.receipt.state === 'undone'
    expect(lookAt(home), `call ${at}`).toEqual(isUndone ? before : AFTER)
  }
})

test('an undo is refused where a file was changed since in the folder that was moved', async () => {
  const home = quickHome()
  const { request, state } = prepare(home)
  const { id } = await applyChanges(request)
  writeFileSync(join(home, 'there/one/added'), 'changed since')
  await expect(undoReceipt(state, id)).rejects.toThrow(/there\/one\/added has been changed since/)
  expect(lookAt(home).filter(line => !line.startsWith('there/one/added'))).toEqual(
    AFTER.filter(line => !line.startsWith('there/one/added')),
  )
})

test('a plan that writes a file again after its folder was moved is rejected', async () => {
  const { request } = prepare(quickHome())
  const again = { type: 'write' as const, file: request.changes[6]?.file.replace('told', 'file') ?? '', ...WHY }
  const changes = [...request.changes, { ...again, bytes: Buffer.from('twice') }]
  await expect(applyChanges({ ...request, changes })).rejects.toThrow(/in two ways at once/)
})
