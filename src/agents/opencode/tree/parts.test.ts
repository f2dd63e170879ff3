// A session of the tree that is read in parts gives what it gives when it is read in one. The suite of all stores that
// read in parts is beside the printing.
import { rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { environmentOf, temporaryHome } from '../../../../test/support/home.ts'
import { exported, putTree } from '../../../../test/support/opencode/made-sessions.ts'
import { comparePartsOf, readInParts, TOO_SHORT } from '../../../../test/support/parts.ts'
import { findSession } from '../../../../test/support/reading.ts'
import type { PartPlan } from '../../parts.ts'
import { opencode } from '../index.ts'
import { tree } from './index.ts'
import { parts } from './parts.ts'

// The files were written long ago.
beforeEach(() => {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000)
  onTestFinished(() => clock.mockRestore())
})

async function make(revert?: object) {
  const home = temporaryHome()
  const whole = exported()
  if (revert !== undefined) whole.info['revert'] = revert
  const paths = putTree(home, whole)
  return { paths, session: await findSession(opencode, environmentOf(home), whole.info.id) }
}

/** The plan as if the files that were changed since then had been changed after it. */
function before(plan: PartPlan | undefined): PartPlan {
  if (plan === undefined) throw new Error('The session is not read in parts.')
  const unchangedSince = Date.now() - 60_000 - 50
  return { ...plan, parts: plan.parts.map(part => ({ ...part, known: { ...(part.known as object), unchangedSince } })) }
}

test('no part is read again: no message depends on another one', async () => {
  const { session, paths } = await make()
  writeFileSync(paths.parts[1]?.[0] ?? '', '{"type":"te')
  expect(parts.plan(session, TOO_SHORT)?.parts.length).toBeGreaterThan(2)
  expect(await comparePartsOf(tree, session, TOO_SHORT)).toMatchObject({
    again: 0,
    end: { type: 'partial', findings: [{ damage: 'malformed-record' }] },
  })
})

test('a part of which a file was changed, added or removed after the plan is read in its turn', async () => {
  const { session, paths } = await make()
  const messages = paths.messages.length
  const plan = parts.plan(session, { ...TOO_SHORT, part: Math.ceil(session.fileSize / messages) })
  expect(plan?.parts).toHaveLength(messages)
  for (const [number, change] of [
    (at: number) => writeFileSync(paths.parts[at]?.[0] ?? '', '{"type":"text","text":"changed"}'),
    (at: number) => writeFileSync(paths.messages[at] ?? '', '{"role":"user"}'),
    (at: number) => rmSync(paths.parts[at]?.[0] ?? ''),
    (at: number) => rmSync(dirname(paths.parts[at]?.[0] ?? ''), { recursive: true }),
    (at: number) => rmSync(paths.messages[at] ?? ''),
  ].entries()) {
    const at = number % messages
    change(at)
    const reading = parts.read(session, before(plan), at)
    expect(reading.next()).toEqual({ done: true, value: undefined })
  }
  const joiner = parts.join(session, before(plan))
  const inTurn = parts.read(session, before(plan), 0, joiner.state())
  expect(JSON.stringify([...inTurn])).toContain('changed')
})

test('a session whose own file is lost is read in one', async () => {
  const { session, paths } = await make()
  rmSync(paths.session)
  expect(readInParts(parts, session, TOO_SHORT)).toBeUndefined()
  expect(await comparePartsOf(tree, session, TOO_SHORT)).toBeUndefined()
})

test('a session with a revert is read in one', async () => {
  const { session } = await make({ messageID: exported().messages[1]?.info.id })
  expect(readInParts(parts, session, TOO_SHORT)).toBeUndefined()
})
