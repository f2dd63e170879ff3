// The proof of the repairs: the real agents resume what was damaged and repaired. The table of a full run is docs/verified-repairs.md.
import { describe, expect, it } from 'vitest'
import { judge, lineOf } from './judge.ts'
import { type Case, healthyLoads, kindOf, mix, verifyCase } from './verify-case.ts'
import { agentsFolder, type Version, versions, workshopOfSuite } from './workshop.ts'

/** Some thirty resumes, some of which hang until they are ended. */
const VERSION_TIMEOUT_MS = 3_600_000
const MIXTURES = [1, 2, 3, 4]

if (agentsFolder === undefined)
  process.stderr.write(
    'Repairs are not tried with the real agents: RETHREAD_TEST_REAL_AGENTS names no folder that has them.\n',
  )

describe.skipIf(agentsFolder === undefined)('a repaired session', () => {
  const workshop = workshopOfSuite()

  async function faultsOf(version: Version, cases: (damages: Case['damages']) => Case[]): Promise<string[]> {
    const recorder = workshop.recorder()
    const recording = await recorder.record(workshop.open(version))
    const plain = await healthyLoads(recorder, recording)
    const { damages } = await kindOf(recording)
    const faults: string[] = []
    for (const one of cases(damages)) {
      const row = await verifyCase(recorder, recording, one, plain)
      if (row !== undefined && judge(row).faults.length > 0) faults.push(lineOf(row))
    }
    return faults
  }

  it.each(versions)(
    'is resumed by $id $version with all that was not destroyed, whatever the damage, and as the check said',
    async entry => {
      const faults = await faultsOf(entry, damages => damages.map(damage => ({ damages: [damage], seed: 1 })))
      expect(faults).toEqual([])
    },
    VERSION_TIMEOUT_MS,
  )

  it.each(versions)(
    'is resumed by $id $version after several damages at once',
    async entry => {
      const faults = await faultsOf(entry, damages => MIXTURES.map(seed => ({ damages: mix(damages, seed), seed })))
      expect(faults).toEqual([])
    },
    VERSION_TIMEOUT_MS,
  )
})
