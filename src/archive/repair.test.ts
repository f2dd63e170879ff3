import { appendFileSync, cpSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contentAt, opened, pass } from '../../test/support/archive.ts'
import { makeHome, openHome, repairableKinds } from '../../test/support/damaged.ts'
import { quickHome } from '../../test/support/faults.ts'
import { openArchive } from './archive.ts'
import { checkArchive } from './check.ts'
import { repairArchive } from './repair.ts'

const STEPS = 5

async function prepare(agent: string, generation: string) {
  const kind = (await repairableKinds()).find(each => each.agent === agent && each.store === generation)
  if (kind === undefined) throw new Error('There is no such store.')
  const home = quickHome()
  const { context, session } = await makeHome(join(home, 'first'), kind, 1)
  const contents: Buffer[] = []
  for (let step = 0; step < STEPS; step++) {
    if (generation === 'projects') appendFileSync(session.filePath, `{"step":${step}}\n`)
    else writeFileSync(session.filePath, readFileSync(session.filePath, 'utf8').replace(/\}\s*$/, `,"step${step}":1}`))
    const old = new Date(Date.now() - 60_000 + step)
    utimesSync(session.filePath, old, old)
    await pass(context)
    contents.push(readFileSync(session.filePath))
  }
  return { home, contents }
}

function segmentsIn(state: string): string[] {
  return readdirSync(join(state, 'archive/segments'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
}

/** Near the start and the end of each part of a file: the hash of the header, the header, the pieces. */
function placesIn(bytes: Buffer): number[] {
  const header = bytes.indexOf(0x0a, 65)
  return [3, 64, 100, header - 2, header, header + 3, bytes.length - 2]
}

test.each([
  ['claude-code', 'projects'],
  ['gemini-cli', 'document'],
])(
  'a flipped bit anywhere in an archived session of %s (%s) is found, and a repair keeps all that is good',
  async (...kind) => {
    const { home, contents } = await prepare(...kind)
    const originals = segmentsIn(join(home, 'first', 'state-of-rethread'))
    expect(originals).toHaveLength(STEPS)
    for (const [index, original] of originals.entries())
      for (const place of placesIn(readFileSync(original)).filter((_, at) => (at + index) % 3 === 0)) {
        const copy = join(home, `${index}-${place}`)
        cpSync(join(home, 'first'), copy, { recursive: true })
        const { context, session } = await openHome(copy)
        const damaged = segmentsIn(context.state)[index] ?? ''
        const bytes = readFileSync(damaged)
        bytes[place] = (bytes[place] ?? 0) ^ 4
        writeFileSync(damaged, bytes)
        const archive = openArchive(context.state)
        const where = `segment ${index}, byte ${place}`
        expect((await checkArchive(archive)).damaged, where).toHaveLength(1)
        const { setAside } = await archive.write(() => repairArchive(archive))
        expect(setAside.length, where).toBeGreaterThan(0)
        expect((await checkArchive(archive)).damaged, where).toEqual([])
        archive.close()
        // What was copied before the damaged part, and what the agent still has.
        for (let number = 0; number < index; number++)
          expect(await contentAt(context, session, number), where).toEqual(contents[number])
        expect((await pass(context)).failures).toEqual([])
        expect(await contentAt(context, session), where).toEqual(contents.at(-1))
        expect((await opened(context, session)).chain.damage).toEqual([])
      }
  },
)
