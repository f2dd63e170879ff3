// Whether somebody is at work decides what is damage, and ends without any file being changed.
import { readFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { damagesOf, inflict, makeHome, openHome, repairableKinds } from '../../../test/support/damaged.ts'
import { put, temporaryHome } from '../../../test/support/home.ts'
import type { SessionRef } from '../../model/session.ts'
import { openVerdicts } from '../verdicts/verdict-cache.ts'
import type { CheckContext } from './check.ts'
import { checkSession } from './check.ts'
import { checkMany } from './check-many.ts'

const OF_DEAD_WRITERS = [
  'torn-tail',
  'cut-document',
  'emptied-history',
  'unreadable-file',
  'unsettled-tool',
  'unsettled-tool-file',
]
/** A store whose records nobody may write has none of these. */
const kinds = (await repairableKinds()).filter(
  ({ repair }) => repair.framing !== 'sqlite' || repair.records !== undefined,
)
/** Made-up sessions have no place for these. */
const WITHOUT_PLACE = ['progress-parent', 'lost-index']
const ALL = kinds.flatMap(kind =>
  damagesOf(kind).map(damage => [damage.id, `${kind.agent} ${kind.store}`, kind, damage] as const),
)
const CASES = ALL.filter(([id]) => OF_DEAD_WRITERS.includes(id))
const ONE_OF_EACH = [...new Map(ALL.map(each => [each[0], each])).values()].filter(
  ([id]) => !WITHOUT_PLACE.includes(id),
)

test.each(CASES)('%s of %s is reported as damage once the agent is gone', async (_id, _name, kind, damage) => {
  const { context, session } = await makeHome(temporaryHome(), kind, 1)
  expect(inflict(session, kind, damage, 1)).toBeDefined()
  const wrote = statSync(session.filePath).mtimeMs
  // As where nobody can say whether an agent is running.
  const agents = context.agents.map(({ processNames: _, ...agent }) => agent)
  const check = remembering({ ...context, agents }, session)
  expect((await check(wrote + 1000))?.status).toBe('busy')
  const later = await check(wrote + 3_600_000)
  expect(later?.status).toBe('corrupted')
  expect(later).toEqual((await checkSession(context, session)).verdict)
})

test.each(ONE_OF_EACH)(
  'a verdict on %s of %s from just after it was written is as good as one from later',
  async (...made) => {
    const [, , kind, damage] = made
    const { context, session } = await makeHome(temporaryHome(), kind, 1)
    expect(inflict(session, kind, damage, 1)).toBeDefined()
    const wrote = statSync(session.filePath).mtimeMs
    const check = remembering(context, session)
    await check(wrote + 1000)
    expect(await check(wrote + 3_600_000)).toEqual((await checkSession(context, session)).verdict)
  },
)

/** Checks as of a certain time, with the verdicts of the times before at hand. */
function remembering(context: CheckContext, session: SessionRef) {
  const verdicts = openVerdicts(context.state)
  onTestFinished(() => verdicts.close())
  const clock = vi.spyOn(Date, 'now')
  onTestFinished(() => clock.mockRestore())
  return async (now: number) => {
    clock.mockReturnValue(now)
    return (await checkMany(context, [session], { verdicts }))[0]
  }
}

test('a file from the future is not taken for one that is being written', async () => {
  const [first] = CASES
  if (first === undefined) throw new Error('No damage is of a dead writer.')
  const [, , kind, damage] = first
  const { context, session } = await makeHome(temporaryHome(), kind, 1)
  inflict(session, kind, damage, 1)
  const nextYear = new Date(Date.now() + 365 * 86_400_000)
  utimesSync(session.filePath, nextYear, nextYear)
  expect((await checkSession(context, session)).verdict.status).toBe('corrupted')
})

test('an end that is not complete is damage also where sessions can only be read', async () => {
  const home = temporaryHome()
  const name = 'rollout-2026-11-01T10-00-00-0199aaaa-0000-7000-8000-000000000001.jsonl.zst'
  const fixture = join(import.meta.dirname, '../../agents/codex/fixtures/complete-0.40.jsonl')
  const torn = readFileSync(fixture).subarray(0, -40)
  const file = put(home, `.codex/sessions/2026/11/01/${name}`, zstdCompressSync(torn))
  const longAgo = new Date(Date.UTC(2026, 0, 2))
  utimesSync(file, longAgo, longAgo)
  const { context, session } = await openHome(home)
  expect((await checkSession(context, session)).verdict).toMatchObject({
    status: 'corrupted',
    findings: expect.arrayContaining([expect.objectContaining({ damage: 'torn-tail', severity: 'lost' })]),
  })
})
