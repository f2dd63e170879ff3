// The kinds of sessions that can be made up and repaired, and the damages that each can have.
import type { Agent } from '../agents/agent.ts'
import type { StoreRepair } from '../agents/repair.ts'
import { makersOf, type SampleMaker } from '../agents/samples/sample.ts'
import { findStore, type Traits } from '../agents/store.ts'
import type { Damage } from '../repair/damage/damage.ts'
import { damages } from '../repair/damage/index.ts'

export interface Kind {
  agent: string
  store: string
  traits: Traits
  repair: StoreRepair
}

export interface MakeableKind extends Kind {
  maker: SampleMaker
}

export async function repairableKinds(agents: readonly Agent[]): Promise<MakeableKind[]> {
  const kinds: MakeableKind[] = []
  for (const maker of await makersOf(agents)) {
    const { agent, store } = maker
    const found = findStore(
      agents.find(({ id }) => id === agent),
      { generation: store },
    )
    const repair = await found?.repair?.()
    if (found !== undefined && repair !== undefined) kinds.push({ agent, store, traits: found.traits, repair, maker })
  }
  return kinds
}

/** The makers of `kinds`, and those of sessions that rethread only reads. */
export async function allMakers(agents: readonly Agent[], kinds: readonly MakeableKind[]): Promise<SampleMaker[]> {
  const known = kinds.map(({ maker }) => maker)
  const isKnown = ({ agent, store }: SampleMaker): boolean =>
    known.some(maker => maker.agent === agent && maker.store === store)
  return [...known, ...(await makersOf(agents)).filter(maker => !isKnown(maker))]
}

export function damagesOf({ traits, repair }: Pick<Kind, 'traits' | 'repair'>): Damage[] {
  return damages.filter(damage => isPossible(damage, traits, repair))
}

function isPossible(damage: Damage, traits: Traits, repair: StoreRepair): boolean {
  switch (damage.framing) {
    case 'json-lines':
      return repair.framing === 'json-lines' && damage.appliesTo(traits, repair)
    case 'json-document':
      return repair.framing === 'json-document' && damage.appliesTo(traits, repair)
    case 'json-tree':
      return repair.framing === 'json-tree' && damage.appliesTo(traits, repair)
    case 'sqlite':
      return repair.framing === 'sqlite' && damage.appliesTo(traits, repair)
  }
}
