import { expect, test } from 'vitest'
import { FRESH_MS, TuiControl } from './tui-control.ts'

const ask = (path: string) => ({ path, body: {} })

test('a request goes to one who waits, and to one only', async () => {
  const control = new TuiControl()
  const leaving = new AbortController()
  const [first, second] = [control.next(leaving.signal), control.next(leaving.signal)]
  control.ask(ask('/a'))
  expect(await first).toEqual(ask('/a'))
  leaving.abort()
  expect(await second).toBeUndefined()
})

test('requests without a waiting poll are kept in order, for a while', async () => {
  let now = 0
  const control = new TuiControl(() => now)
  const { signal } = new AbortController()
  control.ask(ask('/old'))
  now = FRESH_MS
  control.ask(ask('/a'))
  control.ask(ask('/b'))
  expect([await control.next(signal), await control.next(signal)]).toEqual([ask('/a'), ask('/b')])
})

test('a poll ends with nothing when its time is over, and misses nothing afterwards', async () => {
  const control = new TuiControl()
  const { signal } = new AbortController()
  expect(await control.next(signal, 1)).toBeUndefined()
  control.ask(ask('/a'))
  expect(await control.next(signal, 1)).toEqual(ask('/a'))
})

test('only a limited number is kept', async () => {
  const control = new TuiControl()
  for (let number = 0; number < 100; number++) control.ask(ask(`/${number}`))
  expect(await control.next(new AbortController().signal)).toEqual(ask('/68'))
})
