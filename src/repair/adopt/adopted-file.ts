// The content of a file for this home: the fields that are paths hold the mapped
// ones, everything else is the same to the byte.
import type { MappedField } from '../../agents/adoption.ts'
import type { RenewedId } from '../../agents/archive.ts'
import { fieldIn } from '../../agents/stores/path-fields.ts'
import type { LiveItem } from '../../archive/items.ts'
import { applyEdits, type Edit } from '../../bytes/edits.ts'
import { splitLines } from '../../bytes/lines.ts'
import { fieldNames } from '../../bytes/skim.ts'
import { readSmallFile } from '../../disk/files/read.ts'
import { MAX_CHANGED_BYTES, replaceEach } from '../restore-archived/restore-plan.ts'

export function adoptedContent(
  { path, root, item }: LiveItem,
  fields: readonly MappedField[],
  renewed: RenewedId | undefined,
): Buffer {
  const bytes = readSmallFile(path, root, MAX_CHANGED_BYTES)
  const lines = item.kind === 'log' ? splitLines([bytes]) : [{ bytes, start: 0 }]
  const wanted = fields.map(field => ({ names: field.path.map(name => fieldNames(name)), to: field.to }))
  const last = fields.map(field => Buffer.from(`"${field.path.at(-1) ?? ''}"`))
  const edits: Edit[] = []
  for (const line of wanted.length === 0 ? [] : lines) {
    const here = wanted.flatMap(({ names, to }, index) => {
      const field = line.bytes.includes(last[index] ?? '') ? fieldIn(line.bytes, names) : undefined
      const value = typeof field?.value === 'string' ? to(field.value) : undefined
      if (field === undefined || value === undefined || value === field.value) return []
      const [start, end] = [line.start + field.start, line.start + field.end]
      return [{ start, end, bytes: Buffer.from(JSON.stringify(value)) }]
    })
    edits.push(...here.sort((a, b) => a.start - b.start))
  }
  const changed = edits.length === 0 ? bytes : applyEdits(bytes, edits)
  return (renewed?.replace ?? [])
    .filter(({ isOnlyInPath }) => isOnlyInPath !== true)
    .reduce((content, { from, to }) => replaceEach(content, Buffer.from(from), Buffer.from(to)), changed)
}
