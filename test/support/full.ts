// `npm run test:full` runs the same tests with larger numbers, and some more.
export const isFull = process.env['RETHREAD_TEST_FULL'] === '1'

/** How much of it: a little in every run, and all of it in `npm run test:full`. */
export function inFull<T>(all: T, otherwise: T): T {
  return isFull ? all : otherwise
}

/** Of a list that is tried on many things: all of it in `npm run test:full`, otherwise every third, others for the next. */
export function inTurns<T>(all: readonly T[]): () => readonly T[] {
  let turn = 0
  return () => (isFull ? all : all.slice(turn++ % 3).filter((_, index) => index % 3 === 0))
}
