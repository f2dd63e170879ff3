// The kernel proves documents that are written in lines, and what is planned for a document is the same without it.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { damagesOf, inflict, makeHome, repairableKinds } from '../../../test/support/damaged.ts'
import { quickHome } from '../../../test/support/faults.ts'
import { inFull } from '../../../test/support/full.ts'
import { put } from '../../../test/support/home.ts'
import type { Structure } from '../../bytes/salvage/index.ts'
import { planDocument } from '../../bytes/salvage/index.ts'
import type { Field } from '../../bytes/scanner/fields.ts'
import { openFile } from '../../disk/files/read.ts'
import { proveLines, withKernel } from './prove-lines.ts'

const LARGE_BYTES = 1_500_000
const SEEDS = inFull(10, 1)

function bothPlans(path: string, structure: Structure) {
  const file = readFileSync(path)
  const bytes = { size: file.length, range: (start: number, end: number) => file.subarray(start, end) }
  const proved = withKernel(bytes)
  return {
    isProved: proved.prove?.(structure.lists)?.isClean === true,
    isInLines: file.includes('\n'),
    byKernel: planDocument(proved, structure),
    byReading: planDocument(bytes, structure),
  }
}

for (const kind of await repairableKinds()) {
  const { repair } = kind
  if (repair.framing !== 'json-document') continue

  test(`${kind.agent} ${kind.store}: a large document is proved if it is written in lines`, async () => {
    const { session } = await makeHome(quickHome(), kind, 1, LARGE_BYTES)
    const { isProved, isInLines, byKernel, byReading } = bothPlans(session.filePath, repair)
    expect(isProved).toBe(isInLines)
    expect(byKernel).toEqual(byReading)
  })

  test(`${kind.agent} ${kind.store}: a large document with any damage is planned as without the kernel`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++)
      for (const damage of damagesOf(kind)) {
        const { session } = await makeHome(quickHome(), kind, seed, LARGE_BYTES)
        if (inflict(session, kind, damage, seed) === undefined) continue
        const { byKernel, byReading } = bothPlans(session.filePath, repair)
        expect(byKernel, damage.id).toEqual(byReading)
      }
  })
}

test('of other fields, only that there are some is kept', () => {
  const home = quickHome()
  const stored = [
    '{"in":{"type":"a, 0]}","b":"\\"text"},"c":[{"d":1}]}',
    '{"in":{"b":-1e3,"type":"a","c":{"type":"z"},"e":[[]],"f":null},"list":[]}',
    '{"in":{"type":"a"},"list":[7,"",{"x":1}]}',
    '{"in":{}}',
    '{"in":[1,"b"],"list":{"x":0}}',
  ]
  const path = put(home, 'log.jsonl', stored.map(line => `${line}\n`).join(''))
  const file = openFile(path, home)
  const shapes: object[] = []
  const fields: Field = {
    fields: { in: { fields: { type: { leaf: 'word' } }, others: {} }, list: { elements: {} } },
  }
  expect(proveLines(file, fields, ({ shape }) => shapes.push(shape) > 0)).toBe(true)
  file.close()
  const other = expect.anything()
  expect(shapes).toEqual([
    { in: { type: 'a, 0]}', '*': other } },
    { in: { type: 'a', '*': null }, list: [] },
    { in: { type: 'a' }, list: [0, '', {}] },
    { in: {} },
    { in: [], list: {} },
  ])
})
