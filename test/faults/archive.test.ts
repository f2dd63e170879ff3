// A pass that is killed or fails at any write: what was archived stays, and the next pass has everything.
import { appendFileSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openArchive } from '../../src/archive/archive.ts'
import { checkArchive } from '../../src/archive/check.ts'
import type { Context } from '../../src/catalog/context.ts'
import type { SessionRef } from '../../src/model/session.ts'
import { contentAt, opened, pass } from '../support/archive.ts'
import { makeHome, repairableKinds } from '../support/damaged.ts'
import { CALL_STEP, failAt, killAt, NEEDS_SPACE, quickHome, survives } from '../support/faults.ts'
import { inFull } from '../support/full.ts'

const LOG = ['claude-code', 'projects'] as const
const KINDS = inFull([LOG, ['gemini-cli', 'document'] as const, ['opencode', 'tree'] as const], [LOG])

async function prepare(home: string, [agent, generation]: readonly [string, string]) {
  const kind = (await repairableKinds()).find(each => each.agent === agent && each.store === generation)
  if (kind === undefined) throw new Error('There is no such store.')
  const made = await makeHome(home, kind, 1)
  await pass(made.context)
  return made
}

/** A change that is not the same twice, in a file that was last written a while ago. */
function change({ filePath }: SessionRef, text: string): Buffer {
  if (filePath.endsWith('.jsonl')) appendFileSync(filePath, `{"text":"${text}"}\n`)
  else writeFileSync(filePath, readFileSync(filePath, 'utf8').replace(/\}\s*$/, `,"text-${text}":1}`))
  const old = new Date(Date.now() - 60_000)
  utimesSync(filePath, old, old)
  return readFileSync(filePath)
}

async function expectWhole(context: Context): Promise<void> {
  const archive = openArchive(context.state)
  expect((await checkArchive(archive)).damaged).toEqual([])
  archive.close()
}

test.each(KINDS)('a pass over a session of %s (%s), killed at each call', async (...kind) => {
  const home = quickHome()
  for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
    const { context, session } = await prepare(join(home, String(at)), kind)
    const before = readFileSync(session.filePath)
    const now = change(session, 'more')
    const fault = killAt(at, 'half')
    isDone = await survives(pass(context), fault)
    fault.lift()
    await expectWhole(context)
    expect(await contentAt(context, session, 0), `call ${at}`).toEqual(before)
    expect((await pass(context)).failures).toEqual([])
    expect(await contentAt(context, session), `call ${at}`).toEqual(now)
    const { chain } = await opened(context, session)
    expect(chain.damage).toEqual([])
    expect(chain.points.length).toBe(2)
  }
})

test('a pass that notes a shortened and a deleted session, killed at each call', async () => {
  const home = quickHome()
  for (let at = 1, isDone = false; !isDone; at += 2) {
    const { context, session } = await prepare(join(home, String(at)), LOG)
    const before = readFileSync(session.filePath)
    truncateSync(session.filePath, before.indexOf('\n') + 1)
    await pass(context)
    rmSync(session.filePath)
    const fault = killAt(at, 'half')
    isDone = await survives(pass(context), fault)
    fault.lift()
    await expectWhole(context)
    await pass(context)
    expect(await contentAt(context, session, 0)).toEqual(before)
    const { chain } = await opened(context, session)
    expect(chain.points.map(({ why }) => why)).toEqual(['first', 'shrank', 'deleted'])
  }
})

test.each(KINDS)('a pass over a session of %s (%s) on a full disk says so, and loses nothing', async (...kind) => {
  const home = quickHome()
  for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
    const { context, session } = await prepare(join(home, String(at)), kind)
    const before = readFileSync(session.filePath)
    const now = change(session, 'more')
    const fault = failAt(at, 'ENOSPC', NEEDS_SPACE, false)
    const error: unknown = await pass(context).then(
      () => undefined,
      thrown => thrown,
    )
    isDone = error === undefined && fault.calls() < at
    fault.lift()
    if (error !== undefined) expect(error).toMatchObject({ code: 'no-space' })
    await expectWhole(context)
    expect(await contentAt(context, session, 0)).toEqual(before)
    await pass(context)
    expect(await contentAt(context, session)).toEqual(now)
  }
})

test('two writers take turns, and one that waits too long says which process writes', async () => {
  const { context } = await prepare(quickHome(), LOG)
  const [one, other] = [openArchive(context.state), openArchive(context.state)]
  const order: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = one.write(async () => {
    order.push('first begins')
    await promise
    order.push('first ends')
  })
  await expect(other.write(async () => order.push('never'), 0)).rejects.toMatchObject({
    code: 'locked',
    message: expect.stringContaining('is writing to the archive'),
  })
  const second = other.write(async () => order.push('second'))
  resolve()
  await Promise.all([first, second])
  expect(order).toEqual(['first begins', 'first ends', 'second'])
  one.close()
  other.close()
})
