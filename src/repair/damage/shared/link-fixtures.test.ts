// The sessions in test/fixtures/sessions, each named by its defect, and breakers on the healthy one.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { linkedSubject, repairLinks } from '../../../../test/support/linked-log.ts'
import { seededRandom } from '../../../../test/support/random.ts'
import { brokenParent } from '../broken-parent/index.ts'
import type { InflictTarget, LogDamage, Random } from '../damage.ts'
import { brokenLines } from '../lines/index.ts'
import { parentCycle } from '../parent-cycle/index.ts'
import { progressParent } from '../progress-parent/index.ts'
import { makeLineDamage } from './make-line-damage.ts'

const FOLDER = join(import.meta.dirname, '../../../../test', 'fixtures', 'sessions')
const LINKS = [brokenParent, parentCycle, progressParent]
const ALL = [...brokenLines.map(makeLineDamage), ...LINKS]

const fixture = (name: string): string => readFileSync(join(FOLDER, `${name}.jsonl`), 'utf8')

function look(text: string, version?: string) {
  const subject = linkedSubject(text, version)
  let orphans = 0
  for (let record = 0; record < subject.index.length; record++) if (subject.index.isOrphan(record)) orphans++
  const { messages, depth } = subject.repair.load(subject)
  return { messages, depth, orphans }
}

describe('the fixtures', () => {
  test.each([
    ['healthy', { messages: 8, depth: 9, orphans: 0 }, { messages: 8, depth: 9, orphans: 0 }],
    ['corrupted-shallow', { messages: 2, depth: 2, orphans: 1 }, { messages: 8, depth: 9, orphans: 0 }],
    ['corrupted-deep', { messages: 50, depth: 50, orphans: 1 }, { messages: 60, depth: 60, orphans: 0 }],
    ['corrupted-multiple', { messages: 2, depth: 2, orphans: 3 }, { messages: 8, depth: 9, orphans: 0 }],
    // One answer is lost for good.
    ['malformed', { messages: 5, depth: 6, orphans: 1 }, { messages: 7, depth: 8, orphans: 0 }],
    ['empty', { messages: 0, depth: 0, orphans: 0 }, { messages: 0, depth: 0, orphans: 0 }],
  ])('%s', async (name, before, after) => {
    expect(look(fixture(name))).toEqual(before)
    const { text } = await repairLinks(fixture(name), ALL)
    expect(look(text)).toEqual(after)
    expect((await repairLinks(text, ALL)).found).toEqual([])
  })
})

/** A breaker has no other files to write to. */
function targetFor(text: string, written: (text: string) => void): InflictTarget {
  const { session, traits, repair } = linkedSubject(text)
  const never = (): never => {
    throw new Error('not in a log')
  }
  return {
    session,
    traits,
    repair,
    read: () => Buffer.from(text),
    write: (_, bytes) => written(bytes.toString()),
    remove: never,
    sql: never,
  }
}

function randomFrom(seed: number): Random {
  const next = seededRandom(seed)
  return { next, below: below => Math.floor(next() * below) }
}

/** Old enough that every damage can be had. */
const healthy = fixture('healthy').replaceAll('"version":"2.1.25"', '"version":"2.0.14"')
const seeds = Array.from({ length: 40 }, (_, seed) => seed)

describe.each(LINKS.map(damage => [damage.id, damage] as [string, LogDamage]))('%s, inflicted', (id, damage) => {
  test.each(seeds)('with seed %i is found and repaired, and nothing is lost', async seed => {
    let broken = healthy
    const target = targetFor(healthy, text => {
      broken = text
    })
    const inflicted = damage.inflict(target, randomFrom(seed))
    expect(inflicted).toMatchObject({ destroyed: 0 })
    const { found, text } = await repairLinks(broken, LINKS)
    expect(found).toContain(id)
    expect(look(text)).toMatchObject({ messages: 8, orphans: 0 })
    expect((await repairLinks(text, LINKS)).found).toEqual([])
    // The same break costs a newer agent nothing either, once it is repaired.
    expect(look(text, '2.1.325').messages).toBeGreaterThanOrEqual(look(broken, '2.1.325').messages)
  })
})

test('a session whose agent knows progress cannot have a link that it costs', () => {
  const target = targetFor(fixture('healthy'), () => {
    throw new Error('nothing is to be written')
  })
  expect(progressParent.inflict(target, randomFrom(1))).toBeUndefined()
})

test('an empty file has no links to break', () => {
  const target = targetFor('', () => {
    throw new Error('nothing is to be written')
  })
  for (const damage of LINKS) expect(damage.inflict(target, randomFrom(1))).toBeUndefined()
})
