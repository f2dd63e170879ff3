// A log goes into the project folder that is named by the mapped
// path, with the folder of its own name beside it.
import { basename, dirname, join, relative, sep } from 'node:path'
import { exists } from '../../disk/files/read.ts'
import type { AdoptionPlaces, StoreAdoption } from '../adoption.ts'
import { UNLISTED } from '../listing.ts'
import { CWD, folderNameOf, whereListed } from './listing/places.ts'
import { INDEX_NAME } from './repair/sessions-index.ts'

export const adoption: StoreAdoption = {
  async plan({ session, location, map }): Promise<AdoptionPlaces> {
    const oldName = basename(dirname(session.filePath))
    const listed = whereListed(session)
    const from = listed?.folder ?? listed?.first
    const to = from === undefined ? undefined : map(from)
    const name = (to === undefined ? undefined : folderNameOf(to)) ?? oldName
    const index = join(location.path, name, INDEX_NAME)
    const reason = 'Move the list of the project folder to the vault; Claude Code makes it again'
    return {
      project: from === undefined || to === undefined ? undefined : { from, to },
      pathOf(path) {
        const inside = relative(session.storeRoot, path)
        if (inside.startsWith('..')) return join(dirname(location.path), relative(dirname(session.storeRoot), path))
        const [folder = '', ...names] = inside.split(sep)
        return join(location.path, folder === oldName ? name : folder, ...names)
      },
      fieldsOf: path => (path.endsWith('.jsonl') ? [{ path: CWD, to: map }] : []),
      changes: exists(index) ? [{ type: 'remove', file: index, damage: UNLISTED, reason }] : [],
      notes:
        name === oldName && from !== to ? [`The name of the folder ${to} is too long, so ${oldName} is kept.`] : [],
    }
  },
}
