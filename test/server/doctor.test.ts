// Conversations that their agents do not list, over HTTP: why, the plan, the fix, and its undo.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { doctorSchema, fixResultsSchema, plannedMoveSchema } from '../../src/server/api.ts'
import { type Conversation, makeOld, putConversation } from '../support/conversations.ts'
import { shareStage } from '../support/server.ts'

let misplaced: Conversation = { id: '', file: '', folder: '' }
let moving: Conversation = misplaced

/** Its folder is named by the path in its records. */
function putListed(home: string, n: number, folder: string): Conversation {
  const made = putConversation(home, n)
  mkdirSync(folder, { recursive: true })
  const file = join(home, '.claude/projects', folder.replace(/[^a-zA-Z0-9-]/g, '-'), `${made.id}.jsonl`)
  mkdirSync(join(file, '..'), { recursive: true })
  renameSync(made.file, file)
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(JSON.stringify(made.folder), JSON.stringify(folder)))
  const conversation = { ...made, file, folder }
  makeOld(conversation)
  return conversation
}

const stage = shareStage(home => {
  misplaced = putConversation(home, 1)
  moving = putListed(home, 2, join(home, 'code', 'old-name'))
})

const report = () => stage().get('/api/doctor?fresh=true', doctorSchema)

test('a conversation that its agent does not list is listed again, and the fix is undone', async () => {
  const before = readFileSync(misplaced.file)
  const { missing, totals } = await report()
  expect(missing).toMatchObject([{ sessionId: misplaced.id, reason: 'wrong-project', isFixable: true }])
  expect(totals.lost).toBe(1)
  const key = missing[0]?.key ?? ''
  const { results } = (await stage().post('/api/doctor/relink', { keys: [key] })).as(fixResultsSchema)
  expect(results).toMatchObject([{ agent: 'claude-code', sessions: 1, receipt: expect.any(String) }])
  expect(existsSync(misplaced.file)).toBe(false)
  expect((await report()).missing).toEqual([])
  const receipt = results[0]?.receipt ?? ''
  expect((await stage().post('/api/doctor/undo', { receipt })).status).toBe(200)
  expect(readFileSync(misplaced.file)).toEqual(before)
  expect((await report()).missing).toMatchObject([{ sessionId: misplaced.id }])
})

test('a folder that moved is one line with the number of conversations, with a plan, and is moved', async () => {
  expect((await report()).moved).toEqual([])
  const to = join(moving.folder, '..', 'new-name')
  renameSync(moving.folder, to)
  const [moved] = (await report()).moved
  expect(moved).toMatchObject({ from: moving.folder, to, counts: { 'claude-code': 1 } })
  const plan = await stage().get(`/api/doctor/moves/${moved?.id}/plan`, plannedMoveSchema)
  expect(plan).toMatchObject({ from: moving.folder, to, agents: [{ agent: 'claude-code', sessions: 1 }] })
  expect(existsSync(moving.file)).toBe(true)
  const { results } = (await stage().post(`/api/doctor/moves/${moved?.id}`)).as(fixResultsSchema)
  expect(results).toMatchObject([{ sessions: 1, receipt: expect.any(String) }])
  expect(existsSync(moving.file)).toBe(false)
  expect((await report()).moved).toEqual([])
  expect((await stage().ask(`/api/doctor/moves/${moved?.id}/plan`)).status).toBe(404)
})

test('a receipt of another repair, and a conversation that does not exist, are refused', async () => {
  expect((await stage().post('/api/doctor/undo', { receipt: 'nothing' })).status).toBe(404)
  expect((await stage().post('/api/doctor/relink', { keys: ['nothing'] })).status).toBe(404)
  expect((await stage().post('/api/doctor/relink', { keys: [] })).status).toBe(400)
})
