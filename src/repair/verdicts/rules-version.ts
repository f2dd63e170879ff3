// By which rules a verdict was made, and an index of records that later verdicts go on from: what was made by other rules is made again.
import { createHash } from 'node:crypto'
import type { Damage } from '../damage/damage.ts'
import { damages } from '../damage/index.ts'

/** Raised whenever the facts of a record, a model of a loader or the salvage of records changes. Damages have versions of their own. */
const BASE_VERSION = 5
const DIGITS = 16

/** Another one for every other list of damages: one more, one less, in another order, or one with another version. */
export function rulesVersionOf(list: readonly Pick<Damage, 'id' | 'version'>[], base = BASE_VERSION): string {
  const rules = JSON.stringify([base, ...list.map(({ id, version = 1 }) => [id, version])])
  return createHash('sha256').update(rules).digest('hex').slice(0, DIGITS)
}

export const RULES_VERSION = rulesVersionOf(damages)
