// `npm run test:full` runs the same tests with larger numbers, and some more.
import { test } from 'vitest'

export const isFull = process.env['RETHREAD_TEST_FULL'] === '1'

/** How much of it: a little in every run, and all of it in `npm run test:full`. */
export function inFull<T>(all: T, otherwise: T): T {
  return isFull ? all : otherwise
}

/** A test that only `npm run test:full` and CI run: it takes long, and every run has others of the same view. */
export function testInFull(name: string, body: () => Promise<void>): void {
  if (isFull) test(name, body)
}
