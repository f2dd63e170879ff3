import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const MODULE = JSON.stringify(join(import.meta.dirname, 'garbage.ts'))

/** Parses much, and holds some of it for a while. Prints the size of the young generation at its end. */
function parse(isLimited: boolean): number {
  const script = `
    const { getHeapSpaceStatistics } = await import('node:v8')
    const { limitGarbage } = await import(${MODULE})
    const stop = ${isLimited} ? limitGarbage() : () => {}
    const text = JSON.stringify(Array.from({ length: 10_000 }, (_, at) => ({ at, text: 'word '.repeat(5) + at })))
    const held = []
    for (let round = 0; round < 60; round++) {
      held[round % 10] = JSON.parse(text)
      await new Promise(resolve => setTimeout(resolve, 21))
    }
    stop()
    console.log(getHeapSpaceStatistics().find(space => space.space_name === 'new_space').space_size)`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  return Number(stdout)
}

test('a command that reads much does not let its garbage grow with the machine', () => {
  expect(parse(true)).toBeLessThan(parse(false))
})
