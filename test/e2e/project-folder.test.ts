// A conversation whose folder is gone is not damaged, and yet cannot be resumed as it is: that is said, and what can be done.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { healthSchema } from '../../src/server/api.ts'
import { rethreadInTurn, rethreadInTurnWith, rethreadWith } from '../support/cli.ts'
import type { Conversation } from '../support/conversations.ts'
import { AGENT, putConversation } from '../support/conversations.ts'
import { put, temporaryHome } from '../support/home.ts'
import { ownStage } from '../support/server.ts'

/** Healthy, and its folder is gone. */
function putFolderless(home: string): Conversation {
  const made = putConversation(home, 1)
  rmSync(made.folder, { recursive: true })
  return made
}

const CODEX = '0199aaaa-0000-7000-8000-000000000001'

/** A session of an agent that finds it from any folder. */
function putCodex(home: string): string {
  const fixture = join(import.meta.dirname, '../../src/agents/codex/fixtures/complete-0.40.jsonl')
  const text = readFileSync(fixture, 'utf8').replaceAll('/home/dev/shop', join(home, 'gone', 'shop'))
  const file = put(home, `.codex/sessions/2026/11/01/rollout-2026-11-01T10-00-00-${CODEX}.jsonl`, text)
  const longAgo = new Date(Date.UTC(2026, 0, 2))
  utimesSync(file, longAgo, longAgo)
  return file
}

function putAgents(home: string): Record<string, string> {
  for (const name of ['claude', 'codex'])
    chmodSync(put(home, `bin/${name}`, '#!/bin/sh\necho "started in $(pwd) with $*"\n'), 0o755)
  return { PATH: `${join(home, 'bin')}:${process.env['PATH']}` }
}

describe('a healthy session whose folder is gone', () => {
  test('stays healthy, and check, list and show say what a resume needs', async () => {
    const home = temporaryHome()
    const { id, folder } = putFolderless(home)
    const note = { code: 'project-folder-gone', text: expect.stringContaining(folder), offers: ['make-folder'] }
    const one = JSON.parse((await rethreadInTurn(home, 'check', id, '--json')).stdout)
    expect(one.sessions).toMatchObject([{ status: 'healthy', notes: [note] }])
    expect(one.sessions[0].notes[0].hint).toContain(`rethread resume --make-folder ${id}`)
    const said = await rethreadInTurn(home, 'check', id)
    expect([said.status, said.stdout]).toEqual([
      0,
      expect.stringContaining(`project folder of this conversation, ${folder}, no longer exists`),
    ])
    expect((await rethreadInTurn(home, 'check')).stdout).toContain('1 healthy session has no project folder any more')
    const listed = JSON.parse((await rethreadInTurn(home, 'list', '--json')).stdout)
    expect(listed.sessions).toMatchObject([{ partial: false, notes: [note] }])
    expect((await rethreadInTurn(home, 'list')).stdout).toContain('(gone)')
    expect((await rethreadInTurn(home, 'show', id)).stdout).toContain('no longer exists')
    expect(JSON.parse((await rethreadInTurn(home, 'show', id, '--json')).stdout).notes).toMatchObject([note])
    // The folder comes back without the session being touched.
    mkdirSync(folder, { recursive: true })
    expect(JSON.parse((await rethreadInTurn(home, 'check', id, '--json')).stdout).sessions[0].notes).toBeUndefined()
    expect((await rethreadInTurn(home, 'list')).stdout).not.toContain('(gone)')
  })

  test('is not "Nothing is wrong" for the API', async () => {
    const stage = await ownStage(home => void putFolderless(home))
    await stage.checked()
    const conversation = putFolderless(stage.home)
    const { verdict } = await stage.get(`/api/sessions/${stage.key(conversation.id)}/health`, healthSchema)
    expect(verdict).toMatchObject({
      status: 'healthy',
      notes: [{ code: 'project-folder-gone', offers: ['make-folder'] }],
    })
    expect(verdict.sentence).not.toContain('Nothing is wrong')
    mkdirSync(conversation.folder, { recursive: true })
    const again = await stage.get(`/api/sessions/${stage.key(conversation.id)}/health`, healthSchema)
    expect(again.verdict.notes).toBeUndefined()
    expect(again.verdict.sentence).toContain('Nothing is wrong.')
  })

  test('is resumed in its folder once that is created, which is done only where it is asked for', async () => {
    const home = temporaryHome()
    const { id, folder } = putFolderless(home)
    const env = putAgents(home)
    const refused = await rethreadWith(home, env, 'resume', id)
    expect([refused.status, refused.stderr]).toEqual([
      5,
      expect.stringContaining(`rethread resume --make-folder ${id}`),
    ])
    expect(existsSync(folder)).toBe(false)
    const { stdout, status } = await rethreadWith(home, env, 'resume', id, '--make-folder')
    expect([status, stdout]).toEqual([0, `started in ${folder} with --resume ${id}\n`])
  })

  test('is resumed in another folder where its agent finds it from there, and else not', async () => {
    const home = temporaryHome()
    const { id } = putFolderless(home)
    putCodex(home)
    const env = putAgents(home)
    const other = join(home, 'other')
    mkdirSync(other)
    const claude = await rethreadWith(home, env, 'resume', id, '--in', other)
    expect([claude.status, claude.stderr]).toEqual([
      1,
      expect.stringContaining('only in the folder of the conversation'),
    ])
    const codex = await rethreadWith(home, env, 'resume', CODEX, '--in', other)
    expect([codex.status, codex.stdout]).toEqual([0, `started in ${other} with resume ${CODEX}\n`])
    const check = JSON.parse((await rethreadInTurnWith(home, env, 'check', CODEX, '--json')).stdout)
    expect(check.sessions[0].notes).toMatchObject([{ offers: ['make-folder', 'other-folder'] }])
  })
})

describe('over the socket', () => {
  const create = { type: 'terminal.create', requestId: 'r1', cols: 80, rows: 24 } as const

  test('a resume without its folder is refused with what can be asked for, and goes on when it is', async () => {
    const stage = await ownStage(home => void putFolderless(home))
    await stage.checked()
    const { id, folder } = putFolderless(stage.home)
    const client = await stage.client()
    // As the page does it, with the folder in case that the session is gone.
    client.send({ ...create, agent: AGENT, resumeSessionId: id, cwd: folder })
    const error = await client.sees('error', ({ requestId }) => requestId === 'r1')
    expect(error).toMatchObject({ code: 'not-found', offers: ['make-folder'], text: expect.stringContaining(folder) })
    expect(existsSync(folder)).toBe(false)
    client.send({ ...create, requestId: 'r2', resumeSessionId: id, makeFolder: true })
    const { terminal } = await client.sees('terminal.created', ({ requestId }) => requestId === 'r2')
    expect(terminal).toMatchObject({ folder, sessionId: id })
    expect(existsSync(folder)).toBe(true)
  })

  test('something else in its place is never replaced by a folder', async () => {
    const stage = await ownStage(home => void putFolderless(home))
    await stage.checked()
    const { id, folder } = putFolderless(stage.home)
    put(stage.home, 'work/shop', 'a file')
    const client = await stage.client()
    client.send({ ...create, resumeSessionId: id, makeFolder: true })
    const error = await client.sees('error', ({ requestId }) => requestId === 'r1')
    expect(error.offers).toBeUndefined()
    expect(error.hint).not.toContain('mkdir')
    expect(readFileSync(folder, 'utf8')).toBe('a file')
  })
})
