import { appendFileSync, cpSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contentAt, opened, pass } from '../../test/support/archive.ts'
import { type MadeHome, makeHome, openHome, repairableKinds } from '../../test/support/damaged.ts'
import { killAt, quickHome, survives } from '../../test/support/faults.ts'
import { inFull } from '../../test/support/full.ts'
import { openArchive } from './archive.ts'
import { checkArchive } from './check.ts'
import { archiveChainId } from './items.ts'
import { LEAST_RUN, mergeChain } from './merge.ts'

const HOUR_MS = 3_600_000
const LOG = ['claude-code', 'projects'] as const
const DOCUMENT = ['gemini-cli', 'document'] as const

async function prepare([agent, generation]: readonly [string, string], home = quickHome()): Promise<MadeHome> {
  const kind = (await repairableKinds()).find(each => each.agent === agent && each.store === generation)
  if (kind === undefined) throw new Error('There is no such store.')
  return await makeHome(home, kind, 1)
}

/** One pass after each change. Returns the content of each point. */
async function change(
  made: MadeHome,
  count: number,
  everyMs: number,
  write: (file: string, step: number) => void,
): Promise<Buffer[]> {
  const { context, session } = made
  const contents: Buffer[] = []
  const start = Date.now() - count * everyMs
  for (let step = 0; step < count; step++) {
    write(session.filePath, step)
    const old = new Date(Date.now() - 60_000 + step)
    utimesSync(session.filePath, old, old)
    await pass(context, () => start + step * everyMs)
    contents.push(readFileSync(session.filePath))
  }
  return contents
}

async function merge({ context, session }: MadeHome, now = Date.now()) {
  const archive = openArchive(context.state)
  try {
    return await archive.write(() => mergeChain(archive.store, archiveChainId(session, context.environment.home), now))
  } finally {
    archive.close()
  }
}

function appendOrCut(file: string, step: number): void {
  if (step === 20) truncateSync(file, readFileSync(file).indexOf('\n', 1000) + 1)
  else appendFileSync(file, `{"step":${step}}\n${step % 7 === 0 ? '{"torn' : ''}`)
}

test('many small segments become one, and every restore point has the same content', async () => {
  const made = await prepare(LOG)
  const { context, session } = made
  const contents = await change(made, LEAST_RUN + 4, 1000, appendOrCut)
  expect(await merge(made)).toMatchObject({ before: LEAST_RUN + 4, after: 1, thinned: 0 })
  const { chain } = await opened(context, session)
  expect(chain).toMatchObject({ damage: [], replaced: [] })
  expect(chain.points).toHaveLength(contents.length)
  for (const [number, content] of contents.entries()) expect(await contentAt(context, session, number)).toEqual(content)
  appendFileSync(session.filePath, '":1}\n{"after":"the merge"}\n')
  await pass(context)
  expect(await contentAt(context, session)).toEqual(readFileSync(session.filePath))
  expect((await opened(context, session)).chain.damage).toEqual([])
  expect(await merge(made)).toMatchObject({ before: 2, after: 2 })
})

test('versions are thinned with age, never the last one, and never one before a loss', async () => {
  const made = await prepare(DOCUMENT)
  const { context, session } = made
  const document = JSON.parse(readFileSync(session.filePath, 'utf8'))
  const contents = await change(made, 60, HOUR_MS / 2, (file, step) => {
    const messages = step === 10 ? document.messages.slice(0, 1) : document.messages
    writeFileSync(file, JSON.stringify({ ...document, messages, step }))
  })
  const later = Date.now() + 9 * 24 * HOUR_MS
  const { thinned } = await merge(made, later)
  expect(thinned).toBeGreaterThan(40)
  const { chain } = await opened(context, session)
  const kept = chain.points.map(({ number }) => number)
  expect(kept).toContain(59)
  expect(kept).toContain(9)
  expect(kept.length).toBe(60 - thinned)
  for (const number of kept) expect(await contentAt(context, session, number)).toEqual(contents[number])
})

test('a merge that is killed at any call loses nothing, and the next one completes it', async () => {
  const home = quickHome()
  const step = inFull(1, 13)
  const contents = await change(await prepare(LOG, join(home, 'first')), LEAST_RUN, 1000, (file, index) =>
    appendFileSync(file, `{"step":${index}}\n`),
  )
  for (let at = 1, isDone = false; !isDone; at += step) {
    cpSync(join(home, 'first'), join(home, String(at)), { recursive: true })
    const made = await openHome(join(home, String(at)))
    const { context, session } = made
    const fault = killAt(at, 'half')
    isDone = await survives(merge(made), fault)
    fault.lift()
    const archive = openArchive(context.state)
    expect((await checkArchive(archive)).damaged, `call ${at}`).toEqual([])
    archive.close()
    await merge(made)
    const { chain } = await opened(context, session)
    expect(chain.segments, `call ${at}`).toHaveLength(1)
    expect(chain.replaced).toEqual([])
    expect(await contentAt(context, session)).toEqual(contents.at(-1))
    expect(await contentAt(context, session, 3)).toEqual(contents[3])
  }
})
