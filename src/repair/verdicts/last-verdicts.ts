// The verdicts of earlier checks, for a list of sessions.
import { hasCacheTable } from '../../disk/state/state.ts'
import type { Verdicts } from './verdict-cache.ts'

export const VERDICTS = 'verdicts'

/** Undefined before the first check: the rules of a check take longer to load than a list. */
export async function openLastVerdicts(state: string): Promise<Verdicts | undefined> {
  if (!hasCacheTable(state, VERDICTS)) return undefined
  const { openVerdicts } = await import('./verdict-cache.ts')
  return openVerdicts(state)
}
