// Asks for the flags that a conversation was started with, and caches the answer for later runs.

import { openCacheTable } from '../../../disk/state/state.ts'
import { quoteWord } from '../../../model/paste.ts'
import type { FlagsProblem } from '../../sanitizer.ts'
import type { CopyState } from '../classify/index.ts'
import type { JpConversation } from '../conversations.ts'
import { parseFlags } from '../flags/parse-flags.ts'
import { BASE_CONFIG, INIT_CONFIG } from '../names.ts'
import { conditionText, hasDamagedInit } from './diagnosis.ts'
import type { SanitizeJob } from './job.ts'

const FLAGS_CACHE = 'typed-flags'

/** Returns undefined if the user does not enter any flags. */
export async function decideFlags(
  job: SanitizeJob,
  copy: CopyState,
  id: string,
  base: unknown,
): Promise<Record<string, unknown> | undefined> {
  const { decide, state, environment } = job.options
  if (!decide.isInteractive) return undefined
  const key = keyOf(job, id)
  const cache = openCacheTable(state, FLAGS_CACHE, { isWrittenAtOnce: true })
  try {
    const { files, folder } = copy
    const file = hasDamagedInit(copy) ? INIT_CONFIG : BASE_CONFIG
    const problem: FlagsProblem = {
      about: 'flags',
      conversation: folder.name,
      root: folder.root.path,
      file,
      path: files[file].path,
      text: conditionText(files[file]),
      remembered: cache.get(key),
      parse: line => parseFlags(line, { environment, workspace: job.workspace, base }),
    }
    const decision = await decide.flags(problem)
    if (decision.type === 'skip') return undefined
    cache.set(key, decision.result.argv.map(quoteWord).join(' '))
    return decision.result.delta
  } finally {
    cache.close()
  }
}

function keyOf({ workspace }: SanitizeJob, id: string): string {
  return `${workspace.id ?? workspace.folder ?? ''} ${id}`
}

/** Returns the flags of an earlier answer; undefined if there is none. */
export function rememberedFlags(job: SanitizeJob, { folders }: JpConversation): string | undefined {
  const id = folders.map(({ parsed }) => parsed).find(parsed => parsed.type !== 'unparseable')?.id
  if (id === undefined) return undefined
  const cache = openCacheTable(job.options.state, FLAGS_CACHE)
  try {
    return cache.get(keyOf(job, id))
  } finally {
    cache.close()
  }
}
