// Nobody is there to be asked: what a person would have to decide is decided by the rules alone.
import type { Decider } from './sanitizer.ts'

export function makeSilentDecider(): Decider {
  return {
    isInteractive: false,
    async announce() {},
    name: async () => ({ type: 'leave' }),
    events: async () => ({ type: 'leave' }),
    flags: async () => ({ type: 'skip' }),
    mayTrashMany: async () => false,
  }
}
