// Searches in the folder of a call: text, and files by name.
import { z } from 'zod'
import type { OpenCodeApp } from '../api.ts'
import { FileFinder, type FindFilesWanted } from '../files/find-files.ts'
import { DEFAULT_FOUND_FILES, MAX_FOUND_FILES } from '../files/limits.ts'
import { Searches } from '../files/search.ts'
import { headersOf } from '../files/skipped.ts'
import { folderOfCall, refuseAll, untilClientLeaves } from './common.ts'

const textSchema = z.object({ pattern: z.string().min(1) })
const filesSchema = z.object({
  query: z.string().default(''),
  dirs: z.enum(['true', 'false']).optional(),
  type: z.enum(['file', 'directory']).optional(),
  limit: z.coerce.number().int().positive().default(DEFAULT_FOUND_FILES),
})

export function addFind(app: OpenCodeApp): void {
  const searches = new Searches()
  const finder = new FileFinder()
  app.get('/find', async context => {
    const { pattern } = textSchema.parse(context.req.query())
    const folder = await folderOfCall(context)
    const { matches, leftOut } = await untilClientLeaves(
      context.var.api.bus,
      context.req.raw.signal,
      async signal => await searches.find(folder, pattern, { signal }),
    )
    return context.json(matches, 200, headersOf(leftOut))
  })
  app.get('/find/file', async context => {
    const { query, limit, ...kinds } = filesSchema.parse(context.req.query())
    const folder = await folderOfCall(context)
    const wanted = { query, isFor: wantedKind(kinds), limit: Math.min(limit, MAX_FOUND_FILES) }
    const { paths, leftOut } = await finder.find(folder, wanted)
    return context.json(paths, 200, headersOf(leftOut))
  })
  refuseAll(app, [['get', '/find/symbol', 'Symbols need a language server, and rethread does not run one.']])
}

/** Older clients send `dirs`. Without either, files and folders are found. */
function wantedKind({ type, dirs }: Pick<z.infer<typeof filesSchema>, 'type' | 'dirs'>): FindFilesWanted['isFor'] {
  if (type === 'directory') return 'folders'
  return type === 'file' || dirs === 'false' ? 'files' : 'both'
}
