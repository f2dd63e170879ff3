// What an interrupted exchange leaves in the folder, and what becomes of it.
import { existsSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { text } from '../../../test/support/repairs.ts'
import { settleSwap, swapNames } from './swap-settle.ts'

const [OLD, NEW] = ['old\n', 'newer\n']

/** A folder in which the old file had `oldTail` behind what the new one accounts for, and the new one has `newTail`. */
function putSwap(left: { oldTail?: string; newTail?: string; temporary?: boolean }) {
  const home = temporaryHome()
  const path = put(home, 'session.jsonl', left.temporary ? OLD : NEW + (left.newTail ?? ''))
  const names = swapNames(path, 'receipt-id', 0, 'do')
  if (left.temporary) put(home, names.temporary.slice(home.length), NEW)
  if (left.oldTail !== undefined) put(home, names.spare(OLD.length).slice(home.length), OLD + left.oldTail)
  return { path, names, oldSize: OLD.length, freshSize: NEW.length, before: null, late: 'carry' as const }
}

test.each([
  ['nothing was appended in the last moment', { oldTail: '' }, NEW],
  ['a line was', { oldTail: 'late\n' }, `${NEW}late\n`],
  ['a line was, and others came to the new file', { oldTail: 'late\n', newTail: 'later\n' }, `${NEW}later\nlate\n`],
  ['it had been carried over', { oldTail: 'late\n', newTail: 'late\n' }, `${NEW}late\n`],
  ['it had been carried over, and others came', { oldTail: 'late\n', newTail: 'late\nlater\n' }, `${NEW}late\nlater\n`],
  ['half of it had been carried over', { oldTail: 'late\n', newTail: 'la' }, `${NEW}late\n`],
  ['the exchange never happened', { oldTail: '', temporary: true }, OLD],
  ['the second name was not even made', { temporary: true }, OLD],
  ['all was done', {}, NEW],
])('%s', async (_, left, expected) => {
  const swap = putSwap(left)
  for (let again = 0; again < 2; again++) {
    await settleSwap(swap)
    expect(text(swap.path)).toBe(expected)
    expect(readdirSync(dirname(swap.path))).toEqual(['session.jsonl'])
  }
})

test('what its agent has deleted meanwhile is not made again', async () => {
  const swap = putSwap({ oldTail: 'late\n' })
  const gone = { ...swap, path: `${swap.path}.gone` }
  await settleSwap(gone)
  expect(existsSync(gone.path)).toBe(false)
  expect(readdirSync(dirname(swap.path))).toEqual(['session.jsonl'])
})
