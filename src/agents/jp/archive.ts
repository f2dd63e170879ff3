// A conversation is a folder of files, and may have copies in other folders.
import { dirname, join } from 'node:path'
import type { StoreArchive } from '../archive.ts'
import { MANAGED, OLD_MESSAGES } from './names.ts'

export const archive: StoreArchive = {
  beside({ filePath, copies = [] }) {
    return [dirname(filePath), ...copies]
      .flatMap(folder => [...MANAGED, OLD_MESSAGES].map(name => join(folder, name)))
      .filter(path => path !== filePath)
      .map(path => ({ path, kind: 'document' }))
  },
}
