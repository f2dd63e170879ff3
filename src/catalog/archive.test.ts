// A limit for the size of the archive: a warning first, then fewer versions, and never the loss of a session.
import { appendFileSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { contentAt, opened, pass } from '../../test/support/archive.ts'
import { type MadeHome, makeHome, repairableKinds } from '../../test/support/damaged.ts'
import { quickHome } from '../../test/support/faults.ts'
import { archiveAll, archiveStatus } from './archive.ts'
import type { Context } from './context.ts'

const MINUTE_MS = 60_000

async function prepare(agent: string, generation: string): Promise<MadeHome> {
  const kind = (await repairableKinds()).find(each => each.agent === agent && each.generation === generation)
  if (kind === undefined) throw new Error('There is no such store.')
  return await makeHome(quickHome(), kind, 1)
}

function limited(context: Context, maxBytes: number): Context {
  return { ...context, config: async () => ({ ...(await context.config()), archive: { maxBytes } }) }
}

async function sizeOf(context: Context): Promise<number> {
  return (await archiveStatus(context)).totals.storedBytes
}

test('from 80 % on there is a notice, and older versions are thinned; the last and those before a loss stay', async () => {
  const { context, session } = await prepare('gemini-cli', 'document')
  const document = JSON.parse(readFileSync(session.filePath, 'utf8'))
  const contents: Buffer[] = []
  const start = Date.now() - 20 * 60 * MINUTE_MS
  for (let step = 0; step < 24; step++) {
    const messages = step === 10 ? document.messages.slice(0, 1) : document.messages
    writeFileSync(session.filePath, JSON.stringify({ ...document, messages, step, noise: Math.random() }))
    utimesSync(session.filePath, new Date(start), new Date(start + step))
    await pass(context, () => start + step * 10 * MINUTE_MS)
    contents.push(readFileSync(session.filePath))
  }
  const before = await sizeOf(context)
  expect((await archiveStatus(limited(context, before * 2))).notices.filter(({ kind }) => kind === 'quota')).toEqual([])
  const tight = limited(context, Math.floor(before / 0.85))
  expect((await archiveStatus(tight)).notices).toContainEqual(
    expect.objectContaining({ kind: 'quota', text: expect.stringContaining('85 %') }),
  )
  expect(await archiveAll(tight)).toMatchObject({ failures: [] })
  const { chain } = await opened(context, session)
  const kept = chain.points.map(({ number }) => number)
  expect(kept.length).toBeLessThan(12)
  expect(kept).toEqual(expect.arrayContaining([0, 9, 23]))
  for (const number of kept) expect(await contentAt(context, session, number)).toEqual(contents[number])
  expect(await sizeOf(context)).toBeLessThan(before * 0.8)
})

test('a full archive says so, drops nothing, and goes on when there is room', async () => {
  const { context, session } = await prepare('claude-code', 'projects')
  await archiveAll(context)
  const archived = readFileSync(session.filePath)
  const full = limited(context, Math.floor(await sizeOf(context)))
  appendFileSync(session.filePath, '{"more":1}\n')
  expect(await archiveAll(full)).toMatchObject({ copied: 0, isFull: true })
  const { notices } = await archiveStatus(full)
  expect(notices.map(({ kind }) => kind)).toEqual(['quota'])
  expect(await contentAt(context, session)).toEqual(archived)
  expect(await archiveAll(limited(context, 1_000_000_000))).toMatchObject({ copied: 1 })
  const grown = readFileSync(session.filePath)
  rmSync(session.filePath)
  expect(await archiveAll(full)).toMatchObject({ deleted: [{ sessionId: session.sessionId }] })
  expect(await contentAt(context, session, 1)).toEqual(grown)
})
