// Notifies about writes to a file. Its folder is watched, because a replaced file is a new one under the same
// name.
import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { statIfThere } from './handles.ts'

/** Limits a writer that appends a hundred times a second to ten notifications. */
const PAUSE_MS = 100
/** The poll interval, for where the system sends no events (some network file systems, too many watches). */
const POLL_MS = 2000

/** Returns a function that stops watching. `changed` gets the size; undefined where the file is gone. */
export function watchFile(path: string, changed: (size: number | undefined) => void): () => void {
  let last = markOf(path)
  let pause: NodeJS.Timeout | undefined
  const check = (): void => {
    pause = undefined
    const mark = markOf(path)
    if (mark.key === last.key) return
    last = mark
    changed(mark.size)
  }
  const checkSoon = (): void => {
    pause ??= setTimeout(check, PAUSE_MS)
  }
  const watcher = startWatcher(path, checkSoon)
  const polling = setInterval(check, POLL_MS)
  polling.unref()
  return () => {
    clearInterval(polling)
    clearTimeout(pause)
    watcher?.close()
  }
}

function startWatcher(path: string, changed: () => void): ReturnType<typeof watch> | undefined {
  // A database is also written through the files beside it.
  const name = basename(path)
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_event, file) => {
      if (file === null || file.startsWith(name)) changed()
    })
    // If watching fails, polling continues.
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}

function markOf(path: string): { key: string; size: number | undefined } {
  const stats = statIfThere(path, 'stat')
  const beside = statIfThere(`${path}-wal`, 'stat')
  const of = (found: typeof stats): string =>
    found === undefined ? '-' : `${found.ino}:${found.size}:${found.mtimeNs}`
  return { key: `${of(stats)} ${of(beside)}`, size: stats === undefined ? undefined : Number(stats.size) }
}
