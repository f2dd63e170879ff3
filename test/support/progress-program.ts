// Counts to 5,000 with a bar, slowly enough for it to be drawn; then examines nothing more, and says so.
import { setTimeout as pause } from 'node:timers/promises'
import { makeProgress } from '../../src/cli/print/progress.ts'

const TOTAL = 5000
const STEPS = 14
const STEP_MS = 50

const progress = makeProgress(process.stderr, 'Examining', 'conversations')
for (let step = 1; step <= STEPS; step++) {
  progress.update(Math.round((TOTAL / STEPS) * step), TOTAL)
  await pause(STEP_MS)
}
for (let done = 1; done <= 4; done++) {
  await pause(STEP_MS * 3)
  progress.update(done, 40, 'Repairing')
}
progress.clear()
process.stderr.write('finished\n')
