// Notifies about changes anywhere below folders, where the system can tell. Callers scan from time to time as
// well: some file systems send no events, and a limit of watches may be reached.
import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import { systemCode } from './system-errors.ts'

export interface FolderWatch {
  /** Starts with folders that exist by now. */
  add(folders: readonly string[]): void
  close(): void
}

/** `changed` gets the path that changed; undefined where only the folder is known to have changed. */
export function watchFolders(changed: (folder: string, path: string | undefined) => void): FolderWatch {
  const watchers = new Map<string, FSWatcher>()
  const start = (folder: string): void => {
    try {
      const watcher = watch(folder, { recursive: true, persistent: false }, (_, name) =>
        changed(folder, name === null ? undefined : join(folder, name)),
      )
      // Without events, the regular scans are left.
      watcher.on('error', () => {
        watcher.close()
        watchers.delete(folder)
      })
      watchers.set(folder, watcher)
    } catch (error) {
      if (systemCode(error) === undefined) throw error
    }
  }
  return {
    add(folders) {
      for (const folder of folders) if (!watchers.has(folder)) start(folder)
    },
    close() {
      for (const watcher of watchers.values()) watcher.close()
      watchers.clear()
    },
  }
}
