// The proof of the archive: sessions of the real agents that were cut, overwritten or deleted come back from the archive. The agent resumes
// them with the whole history.
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { archiveAll, archiveOne } from '../../src/catalog/archive.ts'
import { type Context, makeContext } from '../../src/catalog/context.ts'
import { findSessions } from '../../src/catalog/find-all.ts'
import { makeSessionFinder } from '../../src/catalog/find-one.ts'
import { restoreSession } from '../../src/repair/restore/index.ts'
import { runSql } from '../support/database.ts'
import { type ModelServer, startModelServer } from './model-server.ts'
import { openAgent, type RealAgent } from './real-agent.ts'
import { missingFrom, piecesOf } from './sent.ts'
import { agentsFolder, type Version, versions } from './workshop.ts'

const CASE_TIMEOUT_MS = 600_000

if (agentsFolder === undefined)
  process.stderr.write('The archive is not tried with the real agents: RETHREAD_TEST_REAL_AGENTS names no folder.\n')

interface Stage {
  home: string
  agent: RealAgent
  context: Context
  /** What the agent sent with the last prompt before anything happened. */
  healthy: string[][]
  sessionId: string
  filePath: string
}

describe.skipIf(agentsFolder === undefined)('a session of a real agent', () => {
  let server: ModelServer
  let folder = ''
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rethread-real-archive-'))
    mkdirSync(join(folder, 'shop'))
    server = await startModelServer()
  })
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const prepare = async ({ id, version, commands }: Version): Promise<Stage> => {
    const home = mkdtempSync(join(folder, `${id}-`))
    const agent = openAgent(commands, version, { agents: agentsFolder ?? '', project: join(folder, 'shop'), server })
    agent.prepare(home, server.port)
    const first = await agent.turn(home, 'Please add a price field to the cart')
    const second = await agent.turn(home, 'And now the tax', first.session ?? 'latest')
    expect(second.isAnswered).toBe(true)
    const context = makeContext({ home, state: join(home, 'state'), logLevel: 'silent' })
    const { sessions } = await findSessions(context)
    const session = sessions.find(each => each.agent === id && each.subagentOf === undefined)
    if (session === undefined) throw new Error('The agent has written no session.')
    return {
      home,
      agent,
      context,
      healthy: agent.unitsOf(second.messages),
      sessionId: session.sessionId,
      filePath: session.filePath,
    }
  }

  const restore = async ({ context, sessionId }: Stage, time?: number) => {
    const session = (await makeSessionFinder(context)).byName(sessionId)
    return await restoreSession(context, session, {
      time,
      force: true,
      keepPresent: present => archiveOne(context, present),
    })
  }

  const expectResumed = async ({ agent, home, sessionId, healthy, filePath }: Stage) => {
    for (const prompt of ['Something else', 'And another thing']) await agent.turn(home, prompt)
    expect(existsSync(filePath), 'it was purged again').toBe(true)
    const { messages, isAnswered } = await agent.turn(home, 'Go on from here', sessionId)
    expect(isAnswered).toBe(true)
    expect(missingFrom(healthy, piecesOf(messages))).toEqual([])
  }

  it.each(versions)(
    '$id $version: a session that was deleted comes back',
    async version => {
      const stage = await prepare(version)
      const { home, context, filePath } = stage
      await archiveAll(context)
      if (filePath.endsWith('.db'))
        for (const table of ['part', 'message', 'session']) runSql(filePath, `DELETE FROM ${table}`)
      else
        for (const path of globSync(
          [
            '.claude/projects/*/*.jsonl',
            '.codex/sessions/**/*.jsonl',
            '.gemini/tmp/*/chats/*',
            '.local/share/opencode/storage/{session,message,part}/**/*.json',
          ],
          { cwd: home },
        ))
          rmSync(join(home, path))
      expect((await archiveAll(context)).deleted.length).toBeGreaterThan(0)
      await restore(stage)
      await expectResumed(stage)
    },
    CASE_TIMEOUT_MS,
  )

  it.each(versions.filter(({ id }) => id === 'claude-code' || id === 'codex'))(
    '$id $version: a session that was cut, and one that was overwritten, have their history again',
    async version => {
      const stage = await prepare(version)
      const { context, filePath } = stage
      await archiveAll(context)
      const whole = Date.now()
      const content = readFileSync(filePath)
      truncateSync(filePath, content.indexOf('\n', content.length / 4) + 1)
      await archiveAll(context)
      await restore(stage, whole)
      expect(readFileSync(filePath).equals(content)).toBe(true)
      writeFileSync(filePath, content.subarray(0, content.indexOf('\n') + 1))
      await archiveAll(context)
      await restore(stage, whole)
      expect(readFileSync(filePath).equals(content)).toBe(true)
      await expectResumed(stage)
    },
    CASE_TIMEOUT_MS,
  )
})
