// The changes in the repository of a folder.
import { z } from 'zod'
import type { OpenCodeApp } from '../api.ts'
import { unsupported } from '../errors.ts'
import { type ChangeWithPatch, listChanges, listPatches } from '../git/changes.ts'
import { type ApiContext, folderOfCall, refuseAll, untilClientLeaves } from './common.ts'

/** Context lines around a change. More would be the whole of most files. */
const MAX_CONTEXT_LINES = 10_000

const diffSchema = z.object({
  mode: z.enum(['git', 'branch']).default('git'),
  context: z.coerce.number().int().nonnegative().max(MAX_CONTEXT_LINES).optional(),
})

export function addVcs(app: OpenCodeApp): void {
  app.get('/vcs/status', async context => {
    const folder = await folderOfCall(context)
    const changes = await untilClientLeaves(
      context.var.api.bus,
      context.req.raw.signal,
      async signal => await listChanges({ folder, since: 'commit', variables: process.env, signal }),
    )
    return context.json(changes ?? notInOne(folder))
  })
  app.get('/vcs/diff', async context => context.json(await patchesOf(context)))
  app.get('/vcs/diff/raw', async context => {
    const patches = await patchesOf(context)
    return context.text(patches.map(({ patch }) => patch ?? '').join(''))
  })
  refuseAll(app, [['post', '/vcs/apply', 'rethread does not change project files. Use an agent, or git apply.']])
}

async function patchesOf(context: ApiContext): Promise<ChangeWithPatch[]> {
  const { mode, context: lines } = diffSchema.parse(context.req.query())
  const folder = await folderOfCall(context)
  const wanted = {
    folder,
    since: mode === 'branch' ? 'branch' : 'commit',
    variables: process.env,
    ...(lines === undefined ? {} : { context: lines }),
  } as const
  const patches = await untilClientLeaves(
    context.var.api.bus,
    context.req.raw.signal,
    async signal => await listPatches({ ...wanted, signal }),
  )
  return patches ?? notInOne(folder)
}

function notInOne(folder: string): never {
  throw unsupported(`${folder} is not in a repository, so its changes are not known.`, 'Create one: git init')
}
