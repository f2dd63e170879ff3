// Whether a run would find nothing: every conversation was healthy, and none has changed since. Loads little,
// because it runs before each command of JP.
import { hasUnfinished } from '../../../disk/vault/unfinished.ts'
import type { SanitizeContext } from '../../sanitizer.ts'
import { listConversations } from '../conversations.ts'
import { ACTIVE, ARCHIVED } from '../names.ts'
import { findWorkspace } from '../roots.ts'
import { openHealthyCache } from './healthy-cache.ts'

/**
 * Returns the number of conversations; undefined if one of them must be examined, or something else be done.
 */
export function countUnchanged({ state, folder, environment }: SanitizeContext): number | undefined {
  const workspace = findWorkspace(folder, environment)
  if (workspace?.id === undefined || hasUnfinished(state)) return undefined
  const { conversations, failures } = listConversations(workspace, [ACTIVE, ARCHIVED])
  if (failures.length > 0) return undefined
  const known = openHealthyCache(state, workspace)
  return conversations.every(conversation => known.has(conversation)) ? conversations.length : undefined
}
