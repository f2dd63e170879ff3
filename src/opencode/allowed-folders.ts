// The folders that clients may list, read, search, run git in and open terminals in: those of conversations
// in the journal, the one the server was started in, and configured ones. Links are resolved first.
import { parse } from 'node:path'
import { resolveInside } from '../disk/files/session-path.ts'
import type { JournalStore } from '../journal/store/store.ts'
import { RethreadError } from '../model/errors.ts'

export interface AllowedFoldersOptions {
  /** Folders of the server itself. */
  own: readonly string[]
  /**
   * The user's home. A conversation above it, or at the root of the disk, does not open that folder. Only the
   * configuration can.
   */
  home: string
  /** The folders in the configuration file now, as absolute paths. */
  configured(): Promise<readonly string[]>
  configFile: string
}

const PAGE = 500

export class AllowedFolders {
  readonly #options: AllowedFoldersOptions
  readonly #added = new Set<string>()

  constructor(options: AllowedFoldersOptions) {
    this.#options = options
  }

  /** Allows a folder until the server stops. */
  add(folder: string): void {
    this.#added.add(folder)
  }

  /** Throws `outside-store` for a folder that is not allowed, whether or not it exists. */
  async require(folder: string, store: JournalStore): Promise<void> {
    if (await this.has(folder, store)) return
    throw new RethreadError({
      code: 'outside-store',
      text: `${folder} is not open to clients: no conversation was started in it or above it, and it is not configured.`,
      hint: `Create a session in it, or add it to ${this.#options.configFile}: "allowed_folders": [${JSON.stringify(folder)}]`,
      path: folder,
    })
  }

  async has(folder: string, store: JournalStore): Promise<boolean> {
    const { own, configured } = this.#options
    const isIn = (root: string): boolean => isBelow(folder, root)
    const isInNarrow = (root: string): boolean => isIn(root) && !this.#isWide(root)
    if ([...own, ...this.#added].some(isInNarrow) || (await configured()).some(isIn)) return true
    const seen = new Set<string>()
    for (let before: number | undefined; ; ) {
      const page = await store.listSessions({ limit: PAGE, ...(before === undefined ? {} : { before }) })
      for (const { cwd, destroyedAt } of page.sessions) {
        if (destroyedAt !== undefined || seen.has(cwd)) continue
        seen.add(cwd)
        if (isInNarrow(cwd)) return true
      }
      if (page.before === undefined) return false
      before = page.before
    }
  }

  /** The whole disk, or a folder above the home. Working there is not meant to open them. */
  #isWide(root: string): boolean {
    const { home } = this.#options
    return isBelow(parse(root).root, root) || (isBelow(home, root) && !isBelow(root, home))
  }
}

const NOT_BELOW: ReadonlySet<string> = new Set(['outside-store', 'permission-denied', 'usage', 'not-a-regular-file'])

/** Compares after resolving links. A folder that rethread may not read is below none. */
function isBelow(folder: string, root: string): boolean {
  if (folder === root) return true
  try {
    resolveInside(folder, [root])
    return true
  } catch (error) {
    if (error instanceof RethreadError && NOT_BELOW.has(error.code)) return false
    throw error
  }
}
