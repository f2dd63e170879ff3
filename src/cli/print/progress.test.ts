import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { barPartsOf, makeByteProgress, makeProgress } from './progress.ts'
import { renderBar } from './status-line.ts'

/** Every line as it was drawn, without what draws it over. */
function watch(columns: number) {
  const written: string[] = []
  const stream = { isTTY: true, columns, write: (text: string) => void written.push(text) }
  return { written, stream, terminal: stream as unknown as NodeJS.WriteStream }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  vi.stubEnv('TERM', 'xterm')
  vi.stubEnv('LC_ALL', 'C.UTF-8')
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

test('each phase has its own counts and its own rate, and the end leaves nothing', () => {
  const { written, terminal } = watch(80)
  const progress = makeProgress(terminal, 'Examining', 'conversations')
  progress.update(0, 400)
  vi.advanceTimersByTime(1000)
  progress.update(100, 400)
  vi.advanceTimersByTime(1000)
  progress.update(1, 10, 'Repairing')
  progress.clear()
  progress.clear()
  expect(written.map(text => text.replace('\r\u001b[J', ''))).toEqual([
    `Examining ${'█'.repeat(6)}${'░'.repeat(18)} 100 of 400 conversations · 3 s left`,
    `Repairing ${'█'.repeat(2)}${'░'.repeat(22)}  1 of 10 conversations · 9 s left`,
    '',
  ])
})

test('the time in which somebody is asked does not count', () => {
  const { written, terminal } = watch(80)
  const progress = makeProgress(terminal, 'Repairing', 'conversations')
  progress.update(0, 4)
  vi.advanceTimersByTime(1000)
  progress.update(1, 4)
  progress.clear()
  vi.advanceTimersByTime(60_000)
  progress.update(2, 4)
  vi.advanceTimersByTime(1000)
  progress.update(3, 4)
  expect(written.at(-2)).not.toContain('left')
  expect(written.at(-1)).toContain('1 s left')
})

test('what is over at once is not shown, and nothing more often than it can be seen', () => {
  const { written, terminal } = watch(80)
  const progress = makeProgress(terminal, 'Examining', 'conversations')
  vi.advanceTimersByTime(1000)
  progress.update(1, 2)
  expect(written).toEqual([])
  vi.advanceTimersByTime(1000)
  progress.update(1, 2)
  progress.update(2, 2)
  expect(written).toHaveLength(1)
})

test('a terminal that is made narrower is cleared in all the rows that the line then has', () => {
  const { written, stream, terminal } = watch(80)
  const progress = makeProgress(terminal, 'Examining', 'conversations')
  progress.update(0, 400)
  vi.advanceTimersByTime(400)
  progress.update(100, 400)
  stream.columns = 20
  progress.clear()
  expect(written.at(-1)).toBe('\u001b[A\u001b[A\r\u001b[J')
})

test.each(['dumb', 'xterm'])('nothing is written to a pipe, or to a terminal that is TERM=%s', term => {
  vi.stubEnv('TERM', term)
  const { written, stream, terminal } = watch(80)
  stream.isTTY = term === 'dumb'
  const progress = makeProgress(terminal, 'Examining', 'conversations')
  progress.update(0, 2)
  vi.advanceTimersByTime(1000)
  progress.update(1, 2)
  progress.clear()
  expect(written).toEqual([])
})

const WIDE = { columns: 120, isUnicode: true }

test('it says how many sessions, how many bytes, how fast, and how long still', () => {
  const parts = barPartsOf({ sessions: 50, bytes: 100e6 }, { sessions: 200, bytes: 400e6 }, 2000)
  expect(renderBar({ label: 'Checking', ...parts }, WIDE)).toBe(
    `Checking ${'█'.repeat(6)}${'░'.repeat(18)}  50 of 200 sessions · 100 MB of 400 MB · 50.0 MB/s · 6 s left`,
  )
})

test('a rate is not reported before there is one', () => {
  const parts = barPartsOf({ sessions: 0, bytes: 0 }, { sessions: 2, bytes: 10 }, 100)
  expect(renderBar({ label: 'Checking', ...parts }, WIDE)).toBe(
    `Checking ${'░'.repeat(24)} 0 of 2 sessions · 0 B of 10 B`,
  )
})

test('where nobody watches, nothing is written', () => {
  const written: string[] = []
  const stream = { isTTY: false, write: (text: string) => written.push(text) }
  const bar = makeByteProgress(stream as unknown as NodeJS.WriteStream, 'Checking', { sessions: 1, bytes: 1 })
  bar.add(1)
  bar.clear()
  expect(written).toEqual([])
})
