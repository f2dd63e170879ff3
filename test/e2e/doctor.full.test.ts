// A move that is killed at every call that changes a name in the home.
import { expect, test } from 'vitest'
import { doctorStage, moveKilledAt } from '../support/doctor-stage.ts'

test.runIf(process.platform === 'linux')(
  'a move that is killed at any call is settled, and nothing is lost',
  async () => {
    const stage = await doctorStage()
    let at = 1
    while (await moveKilledAt(at, stage)) at++
    expect(at).toBeGreaterThan(8)
  },
  900_000,
)
