// The demo's home behind the real server in this process, for all tests of a file.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { Demo, DemoSession } from '../../src/demo/index.ts'
import { buildDemo } from '../../src/demo/index.ts'
import type { RunningServer } from '../../src/server/app.ts'
import { startServer } from '../../src/server/app.ts'
import { keyOfSession } from '../../src/server/sessions/index.ts'
import { BUILT_PAGE } from './browser.ts'
import { allChecked } from './server.ts'

export interface DemoStage {
  demo: Demo
  server: RunningServer
  address: string
  /** The first that is so. */
  find(isSo: (session: DemoSession) => boolean): FoundSession
}

export interface FoundSession extends DemoSession {
  key: string
}

export function shareDemo(): () => DemoStage {
  let stage: DemoStage | undefined
  const home = join(mkdtempSync(join(tmpdir(), 'rethread-browser-')), 'demo')
  beforeAll(async () => {
    const demo = await buildDemo({ home })
    const listening = { token: 'a-token-for-tests-in-a-browser', host: '127.0.0.1', port: 0, version: '0.0.0-test' }
    const context = { ...demo.context, busyMs: 200 }
    const server = await startServer({
      context,
      ...listening,
      page: BUILT_PAGE,
      isDemo: true,
      pathFirst: demo.commands,
    })
    await allChecked(server)
    stage = { demo, server, address: server.address, find: isSo => find(demo, isSo) }
  })
  afterAll(async () => {
    await stage?.server.stop()
    rmSync(join(home, '..'), { recursive: true, force: true })
  })
  return () => {
    if (stage === undefined) throw new Error('The demo did not start.')
    return stage
  }
}

function find({ sessions }: Demo, isSo: (session: DemoSession) => boolean): FoundSession {
  const found = sessions.find(isSo)
  if (found === undefined) throw new Error('The demo has no such session.')
  return { ...found, key: keyOfSession(found.session) }
}
