// `npm run test:full` runs the same tests with larger numbers.
export const isFull = process.env['RETHREAD_TEST_FULL'] === '1'

/** How much of it: a little in every run, and all of it in `npm run test:full`. */
export function inFull<T>(all: T, otherwise: T): T {
  return isFull ? all : otherwise
}
