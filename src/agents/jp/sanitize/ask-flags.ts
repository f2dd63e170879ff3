// The flags that a conversation was started with, from whoever remembers them; and ours to remember from then on.
import { quote } from '../../../disk/errors.ts'
import { openShelf } from '../../../disk/state.ts'
import type { FlagsProblem } from '../../sanitizer.ts'
import type { CopyState } from '../classify/index.ts'
import { parseFlags } from '../flags/parse-flags.ts'
import { INIT_CONFIG } from '../names.ts'
import { conditionText } from './course.ts'
import type { Job } from './job.ts'

const SHELF = 'typed-flags'

/** Undefined where nobody tells. */
export async function askFlags(
  job: Job,
  copy: CopyState,
  id: string,
  base: unknown,
): Promise<Record<string, unknown> | undefined> {
  const { decide, state, environment } = job.options
  if (!decide.isInteractive) return undefined
  const key = `${job.workspace.id ?? job.workspace.folder ?? ''} ${id}`
  const shelf = openShelf(state, SHELF, { isWrittenAtOnce: true })
  try {
    const { files, folder } = copy
    const problem: FlagsProblem = {
      about: 'flags',
      conversation: folder.name,
      root: folder.root.path,
      file: INIT_CONFIG,
      path: files[INIT_CONFIG].path,
      text: conditionText(files[INIT_CONFIG]),
      remembered: shelf.get(key),
      parse: line => parseFlags(line, { environment, workspace: job.workspace, base }),
    }
    const decision = await decide.flags(problem)
    if (decision.type === 'skip') return undefined
    shelf.set(key, decision.result.argv.map(quote).join(' '))
    return decision.result.delta
  } finally {
    shelf.close()
  }
}
