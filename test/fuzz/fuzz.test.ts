// Every case that ever failed, and a short run of new ones that is the same on every machine.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repairableKinds } from '../support/damaged.ts'
import { inFull } from '../support/full.ts'
import type { FuzzCase } from './case.ts'
import { drawCase, tryCase } from './case.ts'

const CORPUS = join(import.meta.dirname, 'corpus')
const SHORT_RUN = inFull(600, 6)

const kinds = await repairableKinds()

test.each(readdirSync(CORPUS).filter(name => name.endsWith('.json')))('%s holds', async name => {
  const kept: FuzzCase = JSON.parse(readFileSync(join(CORPUS, name), 'utf8'))
  expect(await tryCase(kinds, kept)).toBeUndefined()
})

test(`${SHORT_RUN} mixtures of damages hold`, async () => {
  for (let seed = 1; seed <= SHORT_RUN; seed++) {
    const drawn = drawCase(kinds, seed)
    expect(await tryCase(kinds, drawn), JSON.stringify(drawn)).toBeUndefined()
  }
})
