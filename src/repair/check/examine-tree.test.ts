import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { MadeHome } from '../../../test/support/damaged.ts'
import { inflict, makeHome, openHome, readMessages, repairableKinds, snapshot } from '../../../test/support/damaged.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import { applyChanges } from '../../../test/support/planned.ts'
import type { TreeFile } from '../../agents/repair.ts'
import type { TreeDamage } from '../damage/damage.ts'
import { lostRoot } from '../damage/lost-root/index.ts'
import { strayFile } from '../damage/stray-file/index.ts'
import { unreadableFile } from '../damage/unreadable-file/index.ts'
import { unsettledToolFile } from '../damage/unsettled-tool-file/index.ts'
import { examineTree } from './examine-tree.ts'

const DAMAGES: TreeDamage[] = [strayFile, unreadableFile, lostRoot, unsettledToolFile]
const kind = (await repairableKinds()).find(candidate => candidate.repair.framing === 'json-tree')
if (kind === undefined || kind.repair.framing !== 'json-tree') throw new Error('no kind of tree')
const { traits, repair } = kind

const make = (seed: number) => makeHome(temporaryHome(), kind, seed)
const examine = ({ session }: MadeHome, isLive = false) => examineTree(session, traits, repair, DAMAGES, { isLive })
const filesOf = ({ session }: MadeHome, role: TreeFile['role']) =>
  repair.files(session).flatMap(file => (file.role === role ? [file.file] : []))

test('a healthy tree has no findings and loads in full', async () => {
  const made = await make(1)
  const count = (await readMessages(made)).length
  expect(count).toBeGreaterThan(4)
  expect(await examine(made)).toMatchObject({
    findings: [],
    changes: [],
    refusals: [],
    messageCount: count,
    loads: { now: count, afterRepair: count },
  })
})

test('every file of a healthy tree is one that the agent can use', async () => {
  for (const file of repair.files((await make(1)).session))
    expect(repair.refuses(file, JSON.parse(readFileSync(file.file, 'utf8'))), file.file).toBeUndefined()
})

describe.each(DAMAGES)('$id', damage => {
  test('is found and repaired, and nothing but what was destroyed is lost', async () => {
    for (const seed of [1, 2, 3]) {
      const made = await make(seed)
      const before = await readMessages(made)
      const inflicted = inflict(made.session, kind, damage, seed)
      expect(inflicted).toBeDefined()
      const broken = await openHome(made.home)
      const found = await examine(broken)
      expect(
        found.findings.map(finding => finding.damage),
        inflicted?.what,
      ).toEqual([damage.id])
      expect(found.refusals).toEqual([])
      expect(found.loads.now).toBe(damage === unsettledToolFile ? before.length : 0)
      applyChanges(found.changes)
      const repaired = await openHome(made.home)
      expect(await examine(repaired), inflicted?.what).toMatchObject({
        findings: [],
        loads: { now: found.loads.afterRepair },
      })
      const kept = new Set((await readMessages(repaired)).map(message => message.id))
      const gone = before.filter(message => !kept.has(message.id))
      expect(gone.length, inflicted?.what).toBeLessThanOrEqual(inflicted?.destroyed ?? 0)
    }
  })
})

test('a message whose file is empty is rewritten with all its parts', async () => {
  const made = await make(2)
  const before = await readMessages(made)
  for (const file of filesOf(made, 'message').slice(0, 3)) {
    const whole = readFileSync(file)
    writeFileSync(file, '')
    const { changes, loads } = await examine(made)
    expect(changes).toMatchObject([{ type: 'write', file }])
    expect(loads).toEqual({ now: 0, afterRepair: before.length })
    applyChanges(changes)
    const rebuilt: object = JSON.parse(readFileSync(file, 'utf8'))
    const { summary, cost, ...known } = JSON.parse(whole.toString('utf8'))
    expect(rebuilt).toMatchObject({ ...known, time: { created: known.time.created } })
    writeFileSync(file, whole)
  }
})

test('a part that is cut in the middle of a text keeps the text up to there', async () => {
  const made = await make(3)
  const file = filesOf(made, 'part').find(path => readFileSync(path, 'utf8').includes('"type": "text"')) ?? ''
  const whole = readFileSync(file)
  const text: string = JSON.parse(whole.toString('utf8')).text
  writeFileSync(file, whole.subarray(0, whole.indexOf('"text": "') + 15))
  const { changes } = await examine(made)
  expect(changes).toMatchObject([{ type: 'patch', file }])
  applyChanges(changes)
  expect(JSON.parse(readFileSync(file, 'utf8')).text).toBe(text.slice(0, 6))
})

test('a session file that is gone is written to the folder of its project', async () => {
  const made = await make(4)
  const [root = ''] = filesOf(made, 'session')
  const whole = JSON.parse(readFileSync(root, 'utf8'))
  rmSync(root)
  const broken = await openHome(made.home)
  expect(broken.session.filePath).not.toBe(root)
  const { changes } = await examine(broken)
  expect(changes).toMatchObject([{ type: 'write', file: root, damage: 'lost-root' }])
  applyChanges(changes)
  const { id, projectID, directory, time } = whole
  expect(JSON.parse(readFileSync(root, 'utf8'))).toMatchObject({
    id,
    projectID,
    directory,
    time: { created: time.created },
  })
  // The reference from before the repair finds it as well.
  expect(await examine(broken)).toMatchObject({ findings: [], changes: [] })
})

test('several damages are repaired at once, in files of one session and of no other', async () => {
  const made = await make(5)
  const [message = ''] = filesOf(made, 'message')
  const parts = filesOf(made, 'part')
  const call = parts.find(path => readFileSync(path, 'utf8').includes('"type": "tool"')) ?? ''
  writeFileSync(message, '{')
  writeFileSync(`${parts.at(-1)}.orig`, '')
  writeFileSync(filesOf(made, 'session')[0] ?? '', '\0\0\0')
  const value = JSON.parse(readFileSync(call, 'utf8'))
  // Cut behind a state that is not settled: closed first, settled in the next round.
  const open = { ...value, state: { status: 'pending', input: { x: 1 } }, metadata: { y: 'z' } }
  writeFileSync(call, JSON.stringify(open).slice(0, -5))
  const { findings, changes, loads } = await examine(made)
  expect(findings.map(finding => finding.damage).sort()).toEqual([
    'lost-root',
    'stray-file',
    'unreadable-file',
    'unreadable-file',
    'unsettled-tool-file',
  ])
  const before = new Set(snapshot(made.home).keys())
  applyChanges(changes)
  expect(JSON.parse(readFileSync(call, 'utf8')).state).toMatchObject({ status: 'error', input: { x: 1 } })
  expect([...snapshot(made.home).keys()].filter(path => !before.has(path))).toEqual([])
  expect(await examine(made)).toMatchObject({ findings: [], loads: { now: loads.afterRepair } })
})

test('while somebody is writing, an unreadable file is no damage and nothing is planned', async () => {
  const made = await make(6)
  writeFileSync(filesOf(made, 'part')[1] ?? '', '')
  const { findings, changes, refusals } = await examine(made, true)
  expect(findings).toMatchObject([{ damage: 'unreadable-file', severity: 'updating' }])
  expect([...changes, ...refusals]).toEqual([])
})

test('a session file that is half written may still come, one that is gone with messages left does not', async () => {
  const made = await make(6)
  const [root = ''] = filesOf(made, 'session')
  writeFileSync(root, '{"id"')
  expect(await examine(made, true)).toMatchObject({ findings: [{ severity: 'updating' }], changes: [] })
  rmSync(root)
  expect(await examine(await openHome(made.home), true)).toMatchObject({
    findings: [{ damage: 'lost-root', severity: 'lost' }],
    changes: [{ type: 'write' }],
  })
})

test('a session file without any message is refused with the reason', async () => {
  const made = await make(7)
  const [root = ''] = filesOf(made, 'session')
  for (const file of filesOf(made, 'message')) rmSync(file)
  writeFileSync(root, '{"id"')
  const { refusals, changes, loads } = await examine(made)
  expect(refusals).toMatchObject([{ damage: 'lost-root', reason: expect.stringContaining('no readable message') }])
  expect(changes).toEqual([])
  expect(loads).toEqual({ now: 0, afterRepair: 0 })
})

test('files in folders below, and hidden files, are distinguished as the agent does', async () => {
  const made = await make(8)
  const folder = dirname(filesOf(made, 'message')[0] ?? '')
  mkdirSync(`${folder}/copies`)
  writeFileSync(`${folder}/copies/msg_1.json`, '{}')
  writeFileSync(`${folder}/.DS_Store`, 'x')
  const { changes } = await examine(made)
  expect(changes).toMatchObject([{ type: 'remove', file: `${folder}/copies/msg_1.json` }])
  expect(existsSync(`${folder}/.DS_Store`)).toBe(true)
  expect(basename(folder)).toBe(made.session.sessionId)
})
