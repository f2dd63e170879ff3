// One writer: only src/disk opens anything for writing, and the journal its own database, so what can change a file is read in one place.
import { layerOf } from './layers.ts'
import type { Import, Parsed } from './source.ts'

const FILE_MODULES = new Set(['fs', 'fs/promises', 'node:fs', 'node:fs/promises'])
/** These open the database of the journal, which is rethread's own. */
const OWN_DATABASE = new Set(['src/journal/store/database.ts', 'src/journal/store/read-only.ts'])
/** Layers above the agents may look at files of their own (a manifest, a page to serve); all others go through src/disk. */
const MAY_READ_FILES = new Set(['cli', 'server'])
/** `open` among them: whether it writes depends on a flag that is not seen here. */
const WRITES =
  /^(writeFile|appendFile|open|mkdir|mkdtemp|mkdtempDisposable|rename|rm|rmdir|unlink|copyFile|cp|truncate|symlink|link|l?chmod|l?chown|l?utimes|write|writev|f(truncate|chmod|chown|utimes))(Sync)?$|^(createWriteStream|WriteStream|FileWriteStream|promises|\*)$/
/** Ways around the import statement. */
const BACK_DOORS = new Set(['getBuiltinModule', 'createRequire', '_linkedBinding'])

export function checkWriters(file: Parsed): string[] {
  const layer = layerOf(file.path) ?? ''
  if (layer === 'disk' || OWN_DATABASE.has(file.path)) return []
  const imports = file.imports.flatMap(found => {
    const reason = refuse(layer, found)
    return reason === undefined ? [] : [`${file.path}:${found.line}: ${reason}`]
  })
  const doors = file.words.filter(word => word.kind === 'identifier' && BACK_DOORS.has(word.text))
  return [
    ...imports,
    ...doors.map(({ text, line }) => `${file.path}:${line}: ${text} goes around the rule that only src/disk writes`),
  ]
}

function refuse(layer: string, found: Import): string | undefined {
  if (found.isType) return undefined
  if (found.from === 'node:sqlite') return 'only src/disk opens databases'
  if (!FILE_MODULES.has(found.from)) return undefined
  if (!MAY_READ_FILES.has(layer)) return `${layer} reaches files through src/disk, not through ${found.from}`
  const writing = found.names.filter(name => WRITES.test(name))
  return writing.length === 0 ? undefined : `only src/disk may write (${writing.join(', ')} from ${found.from})`
}
