import { expect, test } from 'vitest'
import { orAborted } from './wait.ts'

test('what is awaited is given, or its error', async () => {
  const { signal } = new AbortController()
  expect(await orAborted(Promise.resolve(7), signal)).toBe(7)
  await expect(orAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
})

test.each(['before', 'after'])(
  'a caller that left %s the wait gets its reason, and a later error harms nobody',
  async when => {
    const unhandled: unknown[] = []
    const note = (error: unknown): void => void unhandled.push(error)
    process.on('unhandledRejection', note)
    try {
      const controller = new AbortController()
      const { promise, reject } = Promise.withResolvers<number>()
      if (when === 'before') controller.abort(new Error('left'))
      const waited = orAborted(promise, controller.signal)
      if (when === 'after') controller.abort(new Error('left'))
      await expect(waited).rejects.toThrow('left')
      reject(new Error('too late'))
      await new Promise(resolve => setImmediate(resolve))
      expect(unhandled).toEqual([])
    } finally {
      process.off('unhandledRejection', note)
    }
  },
)
