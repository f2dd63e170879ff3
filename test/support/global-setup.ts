// One compile cache for all processes of a run: most of what a short process does is to compile the same files again.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export default function shareCompileCache(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'rethread-compiled-'))
  process.env['NODE_COMPILE_CACHE'] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
