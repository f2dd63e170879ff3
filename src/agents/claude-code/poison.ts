// Content that the model's API refuses, on the chain that a resume loads.
import type { ContentMend, LogView, Poison } from '../mend.ts'
import { findPoison } from './find-poison.ts'
import { load } from './loader.ts'

/** Several damages ask the same question of the same log. */
const known = new WeakMap<LogView, Poison[]>()

export const content: ContentMend = {
  findPoison(log) {
    const poison = known.get(log) ?? (hasSuspects(log) ? findPoison(log, load(log).chain) : [])
    known.set(log, poison)
    return poison
  },
}

function hasSuspects({ visible }: LogView): boolean {
  for (let record = 0; record < visible.length; record++) if (visible.isSuspect(record)) return true
  return false
}
