// A rollout keeps its place by date. Its records and its row in the index name the mapped folder.
import { basename, dirname, join, relative } from 'node:path'
import { splitLines } from '../../bytes/lines.ts'
import { fieldNames } from '../../bytes/skim.ts'
import { openFile } from '../../disk/files/read.ts'
import type { SessionRef } from '../../model/session.ts'
import type { AdoptionPlaces, StoreAdoption } from '../adoption.ts'
import { fieldIn } from '../stores/path-fields.ts'

const CWD = ['payload', 'cwd'] as const
/** The header, with instructions of any usual length. */
const HEAD_BYTES = 1024 * 1024

export const adoption: StoreAdoption = {
  async plan({ session, location, map }): Promise<AdoptionPlaces> {
    const home = dirname(location.path)
    const pathOf = (path: string): string => join(home, relative(dirname(session.storeRoot), path))
    const from = folderOf(session)
    const isCompressed = session.filePath.endsWith('.zst')
    return {
      project: from === undefined ? undefined : { from, to: map(from) },
      pathOf,
      fieldsOf: path => (path.endsWith('.jsonl') ? [{ path: CWD, to: map }] : []),
      rowOf(row) {
        const { cwd, rollout_path } = row.values
        if (row.table !== 'threads' || typeof cwd !== 'string' || typeof rollout_path !== 'string') return row
        const moved = join(dirname(pathOf(session.filePath)), basename(rollout_path.replaceAll('\\', '/')))
        return { ...row, values: { ...row.values, cwd: map(cwd), rollout_path: moved } }
      },
      changes: [],
      notes: isCompressed ? ['The rollout is compressed, so its records still name the old folder.'] : [],
    }
  },
}

function folderOf({ filePath, storeRoot, project }: SessionRef): string | undefined {
  if (filePath.endsWith('.zst')) return project
  const file = openFile(filePath, storeRoot)
  try {
    for (const { bytes } of splitLines([file.range(0, Math.min(HEAD_BYTES, file.identity.size))])) {
      const found = fieldIn(
        bytes,
        CWD.map(name => fieldNames(name)),
      )
      if (typeof found?.value === 'string') return found.value
    }
    return project
  } finally {
    file.close()
  }
}
