import { expect, test } from 'vitest'
import { renderBar } from './bar.ts'
import { makeProgressBar, partsOf } from './progress-bar.ts'

const WIDE = { columns: 120, isUnicode: true }

test('it says how many sessions, how many bytes, how fast, and how long still', () => {
  const parts = partsOf({ sessions: 50, bytes: 100e6 }, { sessions: 200, bytes: 400e6 }, 2000)
  expect(renderBar({ label: 'Checking', ...parts }, WIDE)).toBe(
    `Checking ${'█'.repeat(6)}${'░'.repeat(18)}  50 of 200 sessions · 100 MB of 400 MB · 50.0 MB/s · 6 s left`,
  )
})

test('a rate is not told before there is one', () => {
  const parts = partsOf({ sessions: 0, bytes: 0 }, { sessions: 2, bytes: 10 }, 100)
  expect(renderBar({ label: 'Checking', ...parts }, WIDE)).toBe(
    `Checking ${'░'.repeat(24)} 0 of 2 sessions · 0 B of 10 B`,
  )
})

test('where nobody watches, nothing is written', () => {
  const written: string[] = []
  const stream = { isTTY: false, write: (text: string) => written.push(text) }
  const bar = makeProgressBar(stream as unknown as NodeJS.WriteStream, 'Checking', { sessions: 1, bytes: 1 })
  bar.add(1)
  bar.clear()
  expect(written).toEqual([])
})
