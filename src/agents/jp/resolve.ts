// Which copy of a conversation JP would take, where there are two: the newer, and of equally old ones that of the user-local storage.
import type { Root } from './roots.ts'

export interface CopyTimes {
  root: Root
  /** Nanoseconds since 1970; undefined where there is no such file. */
  metadata: bigint | undefined
  baseConfig: bigint | undefined
  events: bigint | undefined
}

/** The title and the times. */
export function resolveMetadata<T extends CopyTimes>(copies: readonly T[]): T | undefined {
  return newest(copies, ({ metadata }) => metadata)
}

/** base_config.json and events.json go together, as old as the younger of them. */
export function resolveStream<T extends CopyTimes>(copies: readonly T[]): T | undefined {
  return newest(copies, ({ events, baseConfig }) =>
    events === undefined || baseConfig === undefined || events > baseConfig ? events : baseConfig,
  )
}

function newest<T extends CopyTimes>(copies: readonly T[], time: (copy: T) => bigint | undefined): T | undefined {
  let best: { copy: T; time: bigint } | undefined
  for (const copy of copies) {
    const own = time(copy)
    if (own === undefined) continue
    const wins =
      best === undefined ||
      own > best.time ||
      (own === best.time && copy.root.kind === 'user-local' && best.copy.root.kind !== 'user-local')
    if (wins) best = { copy, time: own }
  }
  return best?.copy
}
