// The decider for runs without a person: every decision follows the fixed rules.
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
