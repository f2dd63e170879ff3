import { expect, test } from 'vitest'
import { cleanJson } from './clean.ts'
import type { Output } from './output.ts'
import { printRows } from './rows-json.ts'

async function printed(rows: object[], others: Record<string, unknown>): Promise<string> {
  const chunks: Buffer[] = []
  const output: Output = {
    isTerminal: false,
    columns: 80,
    write: async text => void chunks.push(Buffer.from(text)),
    writeBytes: async bytes => void chunks.push(Buffer.from(bytes)),
    remark() {},
    style: (_, text) => text,
  }
  await printRows(output, 'sessions', rows, others)
  return Buffer.concat(chunks).toString()
}

const OTHERS = { failures: [{ code: 'busy' }], totals: { sessions: 3 } }

test.each([0, 1, 2, 99, 100, 101, 250])('a document of %i rows is that of one text', async count => {
  const rows = Array.from({ length: count }, (_, row) => ({ id: `row ${row}`, notes: [{ text: 'a "b"' }], none: [] }))
  expect(await printed(rows, OTHERS)).toBe(`${cleanJson({ sessions: rows, ...OTHERS }, 2)}\n`)
})

test('characters that are not safe to print are escaped in rows and in the other fields', async () => {
  const hostile = 'a\u009b31m\u202eb\u007f\u2028 ä 🧵'
  const rows = [{ title: hostile }, { title: 'plain' }]
  const text = await printed(rows, { failures: [hostile] })
  expect(text).toBe(`${cleanJson({ sessions: rows, failures: [hostile] }, 2)}\n`)
  expect(text).not.toMatch(/[\u007f-\u009f\u202e\u2028]/)
})
