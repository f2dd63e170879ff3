// The proof of the repairs: the real agents resume what was damaged and mended. The table of a full run is docs/verified-repairs.md.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REAL_AGENTS } from './index.ts'
import { judge, lineOf } from './judge.ts'
import { type ModelServer, startModelServer } from './model-server.ts'
import { openAgent } from './real-agent.ts'
import { Recorder } from './record.ts'
import { type Case, healthyLoads, kindOf, mix, verifyCase } from './verify-case.ts'

const agents = process.env['RETHREAD_TEST_REAL_AGENTS']
/** Some thirty resumes, some of which hang until they are ended. */
const VERSION_TIMEOUT_MS = 3_600_000
const MIXTURES = [1, 2, 3, 4]

if (agents === undefined)
  process.stderr.write(
    'Repairs are not tried with the real agents: RETHREAD_TEST_REAL_AGENTS names no folder that has them.\n',
  )

const versions = REAL_AGENTS.flatMap(commands =>
  commands.versions.map(version => ({ id: commands.id, version, commands })),
)

describe.skipIf(agents === undefined)('a repaired session', () => {
  let folder: string
  let server: ModelServer
  let recorder: Recorder

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rethread-real-'))
    mkdirSync(join(folder, 'shop'))
    server = await startModelServer()
    recorder = new Recorder(folder, server)
  })
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function faultsOf(
    { commands, version }: (typeof versions)[number],
    cases: (damages: Case['damages']) => Case[],
  ): Promise<string[]> {
    const agent = openAgent(commands, version, { agents: agents ?? '', project: join(folder, 'shop'), server })
    const recording = await recorder.record(agent)
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
