// The proof of adoption: sessions that a real agent held in one home are put into another, with another project folder. The agent's own way to
// continue there, without an id, finds the whole history.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rethread } from '../support/cli.ts'
import { type ModelServer, startModelServer } from './model-server.ts'
import { openAgent } from './real-agent.ts'
import { missingFrom, piecesOf } from './sent.ts'
import { agentsFolder, versions } from './workshop.ts'

const CASE_TIMEOUT_MS = 600_000

if (agentsFolder === undefined)
  process.stderr.write('Adoption is not tried with the real agents: RETHREAD_TEST_REAL_AGENTS names no folder.\n')

describe.skipIf(agentsFolder === undefined)('a session of another home', () => {
  let server: ModelServer
  let folder = ''
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rethread-real-adopt-'))
    server = await startModelServer()
  })
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(versions)(
    '$id $version: is continued in this home, in the mapped folder, with its whole history',
    async ({ id, version, commands }) => {
      const place = mkdtempSync(join(folder, `${id}-`))
      const [from, to, shop, store, other] = ['from', 'to', 'from/shop', 'to/store', 'to/other'].map(name => {
        const path = join(place, name)
        mkdirSync(path, { recursive: true })
        return path
      }) as [string, string, string, string, string]
      const agentIn = (project: string) => openAgent(commands, version, { agents: agentsFolder ?? '', project, server })
      const there = agentIn(shop)
      there.prepare(from, server.port)
      const first = await there.turn(from, 'Please add a price field to the cart')
      const second = await there.turn(from, 'And now the tax, TOOL', first.session ?? 'latest')
      expect(second.isAnswered).toBe(true)
      // This home has been used before, in another folder.
      agentIn(other).prepare(to, server.port)
      await agentIn(other).turn(to, 'Something else')
      const here = agentIn(store)
      const state = join(place, 'state')
      const { status, stdout } = await rethread(
        ...[to, '--state', state, '--json', 'restore', '--from', from, '--map', `${shop}=${store}`, '--force'],
      )
      const { sessions } = JSON.parse(stdout)
      expect({ status, sessions }).toMatchObject({ status: 0, sessions: [{ status: 'adopted' }] })
      const { messages, isAnswered } = await here.turn(to, 'Go on from here', 'latest')
      expect(isAnswered).toBe(true)
      expect(missingFrom(there.unitsOf(second.messages), piecesOf(messages))).toEqual([])
    },
    CASE_TIMEOUT_MS,
  )
})
