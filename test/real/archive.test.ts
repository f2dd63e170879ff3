// The proof of the archive: sessions of the real agents that were purged, deleted, cut or overwritten come back. The agent resumes them with
// the whole history.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { casesOf, runCase } from './archive/cases.ts'
import { type ModelServer, startModelServer } from './model-server.ts'
import { agentsFolder, versions } from './workshop.ts'

const CASE_TIMEOUT_MS = 600_000

if (agentsFolder === undefined)
  process.stderr.write('The archive is not tried with the real agents: RETHREAD_TEST_REAL_AGENTS names no folder.\n')

const CASES = versions.flatMap(version =>
  casesOf(version).map(([name, lose]) => ({ id: version.id, number: version.version, name, version, lose })),
)

describe.skipIf(agentsFolder === undefined)('a session of a real agent', () => {
  let server: ModelServer
  let folder = ''
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rethread-real-archive-'))
    server = await startModelServer()
  })
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(CASES)(
    '$id $number: a session that was $name comes back',
    async ({ version, name, lose }) => {
      const row = await runCase({ folder, agents: agentsFolder ?? '', server }, version, name, lose)
      expect(row).toMatchObject({ faults: [] })
    },
    CASE_TIMEOUT_MS,
  )
})
