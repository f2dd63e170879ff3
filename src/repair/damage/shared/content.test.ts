import { expect, test } from 'vitest'
import { linkedLog, linkedSubject, repairLinks } from '../../../../test/support/linked-log.ts'
import { toyRepair, toyTraits } from '../../../../test/support/toy-log.ts'
import { Random } from '../../../agents/samples/random.ts'
import type { LogDamage } from '../damage.ts'
import { emptyText } from '../empty-text/index.ts'
import { loneSurrogate } from '../lone-surrogate/index.ts'
import { unsignedThinking } from '../unsigned-thinking/index.ts'

const ALL = [emptyText, loneSurrogate, unsignedThinking]

function inflict(damage: LogDamage, text: string, seed: number): string | undefined {
  const { session, traits, repair } = linkedSubject(text)
  let bytes: Buffer | undefined
  const write = (_: string, written: Buffer) => {
    bytes = written
  }
  const target = {
    session,
    traits,
    repair,
    read: () => Buffer.from(text),
    write,
    remove: () => {},
    sql: () => [],
  }
  damage.inflict(target, new Random(`${seed}`))
  return bytes?.toString()
}

test.each(ALL.map(damage => [damage.id, damage] as const))(
  '%s is inflicted, found, repaired and gone',
  async (id, damage) => {
    const healthy = linkedLog('u1 k1#A a1#A c1#A r1 a2 u3 a3 u4 k4#B a4#B')
    for (let seed = 0; seed < 8; seed++) {
      const broken = inflict(damage, healthy, seed) ?? healthy
      expect(broken).not.toBe(healthy)
      const { found, text } = await repairLinks(broken, ALL)
      expect(found).toEqual([id])
      for (const other of ALL) expect(await other.detect(linkedSubject(text))).toEqual([])
    }
  },
)

test('each takes its own kind and leaves the others to the others', async () => {
  const once = inflict(emptyText, linkedLog('u1 k1#A a1#A u2 a2'), 1) ?? ''
  const twice = linkedSubject(inflict(unsignedThinking, once, 1) ?? '')
  for (const damage of ALL) {
    const found = (await damage.detect(twice)).map(({ finding }) => finding.damage)
    expect(found).toEqual(damage === loneSurrogate ? [] : [damage.id])
  }
})

test('a session with no place for it is left as it is', () => {
  for (const damage of ALL) expect(inflict(damage, linkedLog('u1 c1 r1'), 1)).toBeUndefined()
})

test('an agent that says nothing of its content is not concerned', () => {
  for (const damage of ALL) expect(damage.appliesTo(toyTraits, toyRepair)).toBe(false)
})
