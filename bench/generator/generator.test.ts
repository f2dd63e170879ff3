import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agents } from '../../src/agents/index.ts'
import { Random } from '../../src/agents/samples/random.ts'
import type { MadeSample } from '../../src/agents/samples/sample.ts'
import { isConversation } from '../../src/model/message.ts'
import { collect, isPartial } from '../../src/model/reading.ts'
import { inFull } from '../../test/support/full.ts'
import { environmentOf, temporaryHome } from '../../test/support/home.ts'
import { agentNamed, discoverAll, readFrom } from '../../test/support/reading.ts'
import type { LibraryOptions } from './index.ts'
import { generateLibrary } from './index.ts'
import { makers } from './list.ts'

const SEEDS = inFull([1, 2, 3], [1])
const SMALL = { sessionsPerAgent: 6, medianBytes: 12_000, damageShare: 0 }

async function readAll(home: string, made: MadeSample[], agentId: string) {
  const agent = agentNamed(agentId)
  const found = await discoverAll(agent, environmentOf(home))
  expect(found.filter(item => item.type === 'failure')).toEqual([])
  const sessions = new Map(
    found.flatMap(item => (item.type === 'session' ? [[item.session.sessionId, item.session]] : [])),
  )
  expect([...sessions.keys()].sort()).toEqual(made.map(session => session.sessionId).sort())
  return await Promise.all(
    made.map(async session => {
      const ref = sessions.get(session.sessionId)
      if (ref === undefined) throw new Error(`${session.sessionId} was not found.`)
      const { messages, end } = await collect(readFrom(agent, ref))
      return {
        session,
        ref,
        messages: messages.filter(isConversation),
        parts: messages.flatMap(({ parts }) => parts),
        end,
      }
    }),
  )
}

test('there is a generator for every agent', () => {
  expect([...new Set(makers.map(maker => maker.agent))].sort()).toEqual(agents.map(agent => agent.id).sort())
})

describe.each(makers)('$agent, $store', ({ agent, store, canDamage }) => {
  const options = { ...SMALL, agents: [agent], generations: [store] }

  test.each(SEEDS)('whole sessions are read completely (seed %i)', async seed => {
    const home = temporaryHome()
    const made = generateLibrary({ home, seed, ...options })
    expect(made).toHaveLength(SMALL.sessionsPerAgent)
    for (const { session, ref, messages, parts, end } of await readAll(home, made, agent)) {
      expect(ref.generation).toBe(store)
      expect(messages).toHaveLength(session.messages)
      expect(end.type).toBe('complete')
      expect(end.findings).toEqual([])
      expect(end.counts.unknown).toBe(0)
      expect(parts.filter(part => part.type === 'unknown')).toEqual([])
      expect(end.facts.title ?? ref.title).toBeTruthy()
      expect(end.facts.project ?? ref.project).toMatch(/^\/home\/dev\//)
      expect(ref.messageCount ?? session.messages).toBe(session.messages)
    }
  })

  test.skipIf(!canDamage).each(SEEDS)('damaged sessions are read as partial or with findings (seed %i)', async seed => {
    const home = temporaryHome()
    const made = generateLibrary({ home, seed, ...options, damageShare: 1 })
    for (const { session, messages, end } of await readAll(home, made, agent)) {
      expect(session.damages).toHaveLength(1)
      expect(isPartial(end) || end.findings.length > 0).toBe(true)
      // One more where the record is lost that made another one a mere repetition.
      expect(messages.length).toBeLessThanOrEqual(session.messages + 1)
      if (session.damages[0] === 'glued-records') expect(messages).toHaveLength(session.messages)
    }
  })

  test('a large session has about the size that was asked for', () => {
    const [large] = generateLibrary({
      home: temporaryHome(),
      seed: 1,
      ...options,
      sessionsPerAgent: 0,
      largeBytes: 3_000_000,
    })
    expect(large?.bytes).toBeGreaterThan(2_900_000)
    expect(large?.bytes).toBeLessThan(4_000_000)
  })
})

test('the same seed gives the same bytes, another seed others', () => {
  const options: Omit<LibraryOptions, 'home' | 'seed'> = { ...SMALL, damageShare: 0.5 }
  const generate = (seed: number) => {
    const home = temporaryHome()
    const made = generateLibrary({ home, seed, ...options })
    return {
      files: hashFiles(home),
      made: made.map(session => ({ ...session, file: session.file.slice(home.length) })),
    }
  }
  const first = generate(1)
  expect(Object.keys(first.files).length).toBeGreaterThan(30)
  expect(generate(1)).toEqual(first)
  expect(generate(2).files).not.toEqual(first.files)
})

test('every damage comes up', () => {
  const made = generateLibrary({ home: temporaryHome(), seed: 1, ...SMALL, sessionsPerAgent: 20, damageShare: 1 })
  const kinds = new Set(made.flatMap(session => session.damages))
  expect([...kinds].sort()).toEqual(['cut-short', 'glued-records', 'malformed-line', 'splice', 'torn-end', 'zeros'])
})

test('half of the numbers of a log-normal spread lie below the median', () => {
  const random = new Random(7)
  const sizes = Array.from({ length: 10_000 }, () => random.logNormal(100, 1))
  const below = sizes.filter(size => size < 100).length
  expect(below).toBeGreaterThan(4800)
  expect(below).toBeLessThan(5200)
})

/** Databases are left out: SQLite does not promise the same bytes for the same rows. */
function hashFiles(home: string): Record<string, string> {
  const names = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !/\.(?:db|sqlite3?)$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    names.sort().map(name => [name.slice(home.length), createHash('sha256').update(readFileSync(name)).digest('hex')]),
  )
}
