// npm run fuzz [-- --minutes 5] [--from SEED]: mixtures of damages in sessions of every agent. What fails is kept in test/fuzz/corpus, which every test run tries again.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { repairableKinds } from '../support/damaged.ts'
import { drawCase, tryCase } from './case.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '3' }, from: { type: 'string' }, agent: { type: 'string' } },
})

const kinds = (await repairableKinds()).filter(({ agent }) => values.agent === undefined || agent === values.agent)
const end = Date.now() + Number(values.minutes) * 60_000
let seed = values.from === undefined ? Date.now() % 1_000_000_000 : Number(values.from)
let tried = 0
let failed = 0
process.stdout.write(`From seed ${seed}, for ${values.minutes} minutes.\n`)
for (; Date.now() < end; seed++) {
  const drawn = drawCase(kinds, seed)
  const wrong = await tryCase(kinds, drawn)
  tried++
  if (wrong !== undefined) {
    failed++
    process.stdout.write(`\n${JSON.stringify(drawn)}\n${wrong}\n`)
    writeFileSync(
      join(import.meta.dirname, 'corpus', `${drawn.agent}-${seed}.json`),
      `${JSON.stringify(drawn, null, 2)}\n`,
    )
  }
  if (tried % 50 === 0) process.stdout.write(`${tried} tried, ${failed} failed, next seed ${seed + 1}\n`)
}
process.stdout.write(`${tried} cases, ${failed} failed.\n`)
process.exitCode = failed === 0 ? 0 : 1
