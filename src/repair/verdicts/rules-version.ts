// The version of the rules that verdicts and cached record indexes were made by. A verdict made by other
// rules is made again.
import { hashOf } from '../../model/columns.ts'
import type { Damage } from '../damage/damage.ts'
import { damages } from '../damage/index.ts'

/**
 * Raise it whenever the facts of a record, a model of a loader or the salvage of records or documents changes. Damage
 * classes have their own versions.
 */
const BASE_VERSION = 10
const SEEDS = { a: 0, b: 0 }

/** Differs for every other list of damage classes: one more, one less, another order, or another version. */
export function rulesVersionOf(list: readonly Pick<Damage, 'id' | 'version'>[], base = BASE_VERSION): string {
  const rules = JSON.stringify([base, ...list.map(({ id, version = 1 }) => [id, version])])
  const { a, b } = hashOf(rules, SEEDS)
  return [a, b].map(word => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

export const RULES_VERSION = rulesVersionOf(damages)
