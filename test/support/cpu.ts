// What a test file cost the processor, with every process it started: on a busy machine the clock says nothing. RETHREAD_TEST_CPU=FILE has a line written there for each.
import { appendFileSync, readFileSync } from 'node:fs'
import { afterAll, expect } from 'vitest'

const TICKS_PER_SECOND = 100

/** Linux only: counts to the end of the file's tests. */
export function writeCpuTime(file: string): void {
  const before = cpuSeconds()
  afterAll(() => {
    const [own, children] = cpuSeconds().map((seconds, index) => (seconds - (before[index] ?? 0)).toFixed(2))
    appendFileSync(file, `${own}\t${children}\t${expect.getState().testPath}\n`)
  })
}

/** Of this process, and of the children that it has seen end. */
function cpuSeconds(): [number, number] {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ').map(Number) ?? []
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15)
  return [(user + system) / TICKS_PER_SECOND, (childUser + childSystem) / TICKS_PER_SECOND]
}
