import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Kind, MadeHome } from '../../../test/support/damaged.ts'
import { inflict, makeHome, readMessages, repairableKinds } from '../../../test/support/damaged.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import { applyChanges } from '../../../test/support/planned.ts'
import type { Damage, DocumentDamage } from '../damage/damage.ts'
import { damages } from '../damage/index.ts'
import { examineDocument } from './examine-document.ts'

const isOfDocuments = (damage: Damage): damage is DocumentDamage => damage.framing === 'json-document'
const DAMAGES = damages.filter(isOfDocuments)
const kinds = (await repairableKinds()).filter(kind => kind.repair.framing === 'json-document')

async function examine({ session }: MadeHome, { traits, repair }: Kind, isLive = false) {
  if (repair.framing !== 'json-document') throw new Error('not a document')
  return await examineDocument(session, traits, repair, DAMAGES, { isLive })
}

describe.each(kinds)('$agent $store', kind => {
  test('a healthy document has no findings and loads in full', async () => {
    const made = await makeHome(temporaryHome(), kind, 1)
    const count = (await readMessages(made)).length
    expect(count).toBeGreaterThan(2)
    expect(await examine(made, kind)).toMatchObject({
      findings: [],
      changes: [],
      refusals: [],
      messageCount: count,
      loads: { now: count, afterRepair: count },
    })
  })

  test.each(DAMAGES)('$id is found and repaired, and nothing but what was destroyed is lost', async damage => {
    for (const seed of [1, 2]) {
      const made = await makeHome(temporaryHome(), kind, seed)
      const before = await readMessages(made)
      const inflicted = inflict(made.session, kind, damage, seed)
      if (inflicted === undefined) continue
      const found = await examine(made, kind)
      expect(found.findings.map(finding => finding.damage)).toContain(damage.id)
      expect(found.loads.now).toBe(0)
      if (inflicted.isBeyondRepair) {
        expect(found.refusals, inflicted.what).not.toEqual([])
        expect(found.changes).toEqual([])
        continue
      }
      expect(found.refusals, inflicted.what).toEqual([])
      expect(found.loads.afterRepair, inflicted.what).toBe(before.length - inflicted.destroyed)
      applyChanges(found.changes)
      expect((await examine(made, kind)).loads.now).toBe(found.loads.afterRepair)
      const kept = (await readMessages(made)).map(({ parts }) => JSON.stringify(parts))
      const all = before.map(({ parts }) => JSON.stringify(parts))
      expect(kept, inflicted.what).toEqual(all.filter(parts => kept.includes(parts)))
      expect(kept, inflicted.what).toHaveLength(found.loads.afterRepair)
    }
  })
})

describe('one document', () => {
  const [kind] = kinds
  if (kind === undefined) throw new Error('no kind of document')

  test('with several damages is repaired at once, and every other byte stays', async () => {
    const made = await makeHome(temporaryHome(), kind, 5)
    const file = made.session.filePath
    const whole = readFileSync(file)
    const end = whole.lastIndexOf(']')
    const parts = [
      Buffer.from('\ufeff'),
      whole.subarray(0, end),
      Buffer.from(','),
      whole.subarray(end),
      Buffer.alloc(9),
    ]
    writeFileSync(file, Buffer.concat(parts))
    const { findings, changes, loads } = await examine(made, kind)
    expect(findings.map(finding => finding.damage).sort()).toEqual(['document-mark', 'nul-tail', 'trailing-comma'])
    applyChanges(changes)
    const expected = [Buffer.from('   '), whole.subarray(0, end), Buffer.from(' '), whole.subarray(end)]
    expect(readFileSync(file).equals(Buffer.concat(expected))).toBe(true)
    expect(loads.afterRepair).toBe((await readMessages(made)).length)
  })

  test('that is being written is not planned for', async () => {
    const made = await makeHome(temporaryHome(), kind, 6)
    const whole = readFileSync(made.session.filePath)
    writeFileSync(made.session.filePath, whole.subarray(0, whole.length - 20))
    const { findings, changes, refusals } = await examine(made, kind, true)
    expect(findings).toMatchObject([{ damage: 'cut-document', severity: 'updating' }])
    expect([...changes, ...refusals]).toEqual([])
  })

  test('that is empty or gone is an error and no finding', async () => {
    const made = await makeHome(temporaryHome(), kind, 7)
    writeFileSync(made.session.filePath, '')
    await expect(examine(made, kind)).rejects.toMatchObject({ code: 'empty-file' })
    const session = { ...made.session, filePath: `${made.session.filePath}.gone` }
    await expect(examine({ ...made, session }, kind)).rejects.toMatchObject({ code: 'not-found' })
  })
})
