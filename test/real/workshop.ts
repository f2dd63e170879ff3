// What every test with the real agents needs: a folder of its own with a project in it, a model that answers, and somebody who records.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { startModelServer } from './model-server.ts'
import type { RealAgent } from './real-agent.ts'
import { openAgent } from './real-agent.ts'
import { Recorder } from './record.ts'
import { type Version, versions } from './versions.ts'

/** Undefined where the person who runs the tests has no agents for them. */
export const agentsFolder = process.env['RETHREAD_TEST_REAL_AGENTS']

export { type Version, versions }

export interface Workshop {
  recorder(): Recorder
  open(version: Version): RealAgent
}

/** Open while the tests of the suite run in which it is called. */
export function workshopOfSuite(): Workshop {
  let opened: Awaited<ReturnType<typeof openWorkshop>> | undefined
  const workshop = () => {
    if (opened === undefined) throw new Error('The workshop is not open.')
    return opened
  }
  beforeAll(async () => {
    opened = await openWorkshop()
  })
  afterAll(async () => {
    await workshop().server.stop()
    rmSync(workshop().folder, { recursive: true, force: true })
  })
  return {
    recorder: () => workshop().recorder,
    open: ({ commands, version }) =>
      openAgent(commands, version, {
        agents: agentsFolder ?? '',
        project: join(workshop().folder, 'shop'),
        server: workshop().server,
      }),
  }
}

async function openWorkshop() {
  const folder = mkdtempSync(join(tmpdir(), 'rethread-real-'))
  mkdirSync(join(folder, 'shop'))
  const server = await startModelServer()
  return { folder, server, recorder: new Recorder(folder, server) }
}
