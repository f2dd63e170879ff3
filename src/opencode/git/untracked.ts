// Files that git does not know yet, described as changes: all of their lines are new.
import { join } from 'node:path'
import { readRange } from '../../disk/files/handles.ts'
import { withSessionFile } from '../../disk/files/session-folder.ts'
import { RethreadError } from '../../model/errors.ts'
import { isTextual } from '../files/read-content.ts'
import type { ChangeWithPatch } from './changes.ts'

/** Files beyond it are listed, and not read. */
const MAX_NEW_FILES_READ = 500
const MAX_NEW_FILE_BYTES = 1024 * 1024

export async function describeNew(folder: string, paths: readonly string[]): Promise<ChangeWithPatch[]> {
  const described: ChangeWithPatch[] = []
  for (const [index, file] of paths.entries()) {
    const text = index < MAX_NEW_FILES_READ ? await readText(folder, file) : undefined
    described.push({
      file,
      additions: 0,
      deletions: 0,
      status: 'added',
      ...(text === undefined ? {} : asPatch(file, text)),
    })
  }
  return described
}

/** Undefined for what is no text, is too large, or is a link: its change is known, and its lines are not. */
async function readText(folder: string, file: string): Promise<string | undefined> {
  try {
    const bytes = await withSessionFile(join(folder, file), [folder], (handle, size) =>
      size > MAX_NEW_FILE_BYTES ? undefined : readRange(handle, 0, size),
    )
    return bytes === undefined || !isTextual(bytes) ? undefined : bytes.toString('utf8')
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
}

function asPatch(file: string, text: string): { additions: number; patch: string } {
  const head = `diff --git a/${file} b/${file}\nnew file mode 100644\n`
  if (text === '') return { additions: 0, patch: head }
  const isEnded = text.endsWith('\n')
  const lines = (isEnded ? text.slice(0, -1) : text).split('\n')
  const body = lines.map(line => `+${line}\n`).join('')
  const range = lines.length === 1 ? '+1' : `+1,${lines.length}`
  const end = isEnded ? '' : '\\ No newline at end of file\n'
  return { additions: lines.length, patch: `${head}--- /dev/null\n+++ b/${file}\n@@ -0,0 ${range} @@\n${body}${end}` }
}
