// One family of what an agent says with session/update.
import type { Step } from '../state.ts'

export interface UpdateFamily {
  variants: readonly string[]
  apply(step: Step, update: Record<string, unknown>, variant: string): void
}
