// Watches the files of open sessions, each file once for any number of clients.
import { watchFile } from '../disk/files/watch-file.ts'
import type { ServedSession } from './sessions/index.ts'
import type { Client } from './socket-client.ts'

interface Watch {
  clients: Set<Client>
  stop(): void
}

export class Watches {
  readonly #watches = new Map<string, Watch>()
  readonly #followed = new Map<Client, string>()

  /** `open` is the session that is open in the client; undefined for none. */
  follow(client: Client, open: ServedSession | undefined): void {
    if (this.#followed.get(client) === open?.key) return
    this.forget(client)
    if (open === undefined) return
    this.#followed.set(client, open.key)
    const known = this.#watches.get(open.key)
    if (known !== undefined) known.clients.add(client)
    else this.#watches.set(open.key, this.#start(open, client))
  }

  forget(client: Client): void {
    const key = this.#followed.get(client)
    this.#followed.delete(client)
    const watch = key === undefined ? undefined : this.#watches.get(key)
    if (key === undefined || watch === undefined) return
    watch.clients.delete(client)
    if (watch.clients.size > 0) return
    watch.stop()
    this.#watches.delete(key)
  }

  close(): void {
    for (const { stop } of this.#watches.values()) stop()
    this.#watches.clear()
    this.#followed.clear()
  }

  #start({ key, session }: ServedSession, first: Client): Watch {
    const { sessionId, agent, filePath } = session
    const clients = new Set([first])
    const stop = watchFile(filePath, size => {
      for (const client of clients) client.send({ type: 'session.changed', key, sessionId, agent, fileSize: size ?? 0 })
    })
    return { clients, stop }
  }
}
