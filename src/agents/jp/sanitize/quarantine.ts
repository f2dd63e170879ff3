// Names for damaged files that are set aside in the conversation's own folder: `metadata.corrupted.20260415T120000123Z.json`.
import { basename, dirname, join } from 'node:path'
import { statIfThere } from '../../../disk/files/handles.ts'

/** Names that were given out and are not there yet belong to whoever asked first. */
export class Quarantine {
  readonly #taken = new Set<string>()

  nameFor(path: string, isFolder: boolean, now = new Date()): string {
    const stem = basename(path, '.json')
    const start = join(dirname(path), `${stem}.corrupted.${stampOf(now)}`)
    for (let count = 0; ; count++) {
      const name = `${start}${count === 0 ? '' : `-${count}`}.${isFolder ? 'd' : 'json'}`
      if (this.#taken.has(name) || statIfThere(name) !== undefined) continue
      this.#taken.add(name)
      return name
    }
  }
}

/** UTC to the millisecond, without what Windows does not take in a name. */
export function stampOf(time: Date): string {
  return time.toISOString().replaceAll(/[-:.]/g, '')
}
