// Watches the files of open sessions, each file once for any number of clients.
import { statIfThere } from '../disk/files/handles.ts'
import { identityOf } from '../disk/files/read.ts'
import { watchFile } from '../disk/files/watch-file.ts'
import { isOneFile } from '../repair/verdicts/origin.ts'
import type { ServerMessage } from './protocol.ts'
import type { ServedSession } from './sessions/index.ts'
import type { Client } from './socket-client.ts'

interface Watch {
  clients: Set<Client>
  stop(): void
}

export class Watches {
  readonly #watches = new Map<string, Watch>()
  readonly #followed = new Map<Client, string>()

  /**
   * `open` is the session that is open in the client; undefined for none. What was written since the session was
   * listed is reported at once: the client may have read it before that, and its watch begins only now.
   */
  follow(client: Client, open: ServedSession | undefined): void {
    if (this.#followed.get(client) === open?.key) return
    this.forget(client)
    if (open === undefined) return
    this.#followed.set(client, open.key)
    const known = this.#watches.get(open.key)
    if (known !== undefined) known.clients.add(client)
    else this.#watches.set(open.key, this.#start(open, client))
    const written = sizeIfWritten(open)
    if (written !== undefined) client.send(changed(open, written))
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

  #start(open: ServedSession, first: Client): Watch {
    const clients = new Set([first])
    const stop = watchFile(open.session.filePath, size => {
      for (const client of clients) client.send(changed(open, size ?? 0))
    })
    return { clients, stop }
  }
}

/** The size of the file, if it is not the one that was listed. */
function sizeIfWritten({ session }: ServedSession): number | undefined {
  if (!isOneFile(session) || session.isFromMemory === true) return undefined
  const stats = statIfThere(session.filePath, 'stat')
  if (stats === undefined) return undefined
  const { mark, size } = identityOf(stats)
  return mark === session.identity ? undefined : size
}

function changed({ key, session: { sessionId, agent } }: ServedSession, fileSize: number): ServerMessage {
  return { type: 'session.changed', key, sessionId, agent, fileSize }
}
