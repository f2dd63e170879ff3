// Sessions of the real agents that their own list omits: found, listed again, and undone.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ModelServer, startModelServer } from './model-server.ts'
import { RELINK_CASES } from './relinks/cases.ts'
import { type RelinkStage, recordForRelinks, verifyRelink } from './relinks/verify-relink.ts'
import { agentsFolder, versions } from './workshop.ts'

const CASE_TIMEOUT_MS = 600_000

if (agentsFolder === undefined)
  process.stderr.write('The doctor is not tried with the real agents: RETHREAD_TEST_REAL_AGENTS names no folder.\n')

describe.skipIf(agentsFolder === undefined)('a session that the agent does not list', () => {
  let server: ModelServer
  let folder = ''
  const stages = new Map<string, Promise<RelinkStage>>()
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rethread-real-relinks-'))
    server = await startModelServer()
  })
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const cases = versions.flatMap(version =>
    RELINK_CASES.filter(one => one.agent === version.id && (one.versions?.includes(version.version) ?? true)).map(
      one => ({ name: `${version.id} ${version.version}: ${one.id}`, version, one }),
    ),
  )
  it.each(cases)(
    '$name',
    async ({ version, one }) => {
      const key = `${version.id} ${version.version}`
      const stage = stages.get(key) ?? recordForRelinks(folder, version, server, agentsFolder ?? '')
      stages.set(key, stage)
      expect((await verifyRelink(await stage, one)).wrong).toEqual([])
    },
    CASE_TIMEOUT_MS,
  )
})
