// Pages that have one session open, and an agent that writes it meanwhile.
import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { MeasuredServer } from './served.ts'

/** So many of the pages fetch what is new whenever they hear of it, as all do that a person looks at. */
const READING_PAGES = 10

export interface Pages {
  /** Those that have heard of the session at this size. */
  heardOf(size: number): number
  readonly dropped: number
  close(): void
}

export async function openPages(server: MeasuredServer, count: number, key: string): Promise<Pages> {
  const sizes = new Map<WebSocket, number>()
  let dropped = 0
  let isClosing = false
  const sockets = Array.from({ length: count }, (_, index) => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/socket`)
    const fetch = index < READING_PAGES ? makeFetch(server, key) : () => undefined
    socket.on('message', data => {
      const message: { type: string; fileSize?: number } = JSON.parse(String(data))
      if (message.type !== 'session.changed') return
      sizes.set(socket, message.fileSize ?? 0)
      fetch()
    })
    socket.on('close', () => {
      if (!isClosing) dropped++
    })
    return socket
  })
  await Promise.all(
    sockets.map(async socket => {
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
      const ready = new Promise(resolve => socket.once('message', resolve))
      socket.send(JSON.stringify({ type: 'hello', protocol: 1, token: server.token, sessions: { active: key } }))
      await ready
    }),
  )
  return {
    heardOf: size => [...sizes.values()].filter(heard => heard >= size).length,
    get dropped() {
      return dropped
    },
    close() {
      isClosing = true
      for (const socket of sockets) socket.terminate()
    },
  }
}

/** One request at a time; what came meanwhile is in the next. */
function makeFetch(server: MeasuredServer, key: string): () => void {
  let isFetching = false
  let isStale = false
  const fetch = async (): Promise<void> => {
    isFetching = true
    do {
      isStale = false
      await server.get(`/api/sessions/${key}/messages?limit=50`)
    } while (isStale)
    isFetching = false
  }
  return () => {
    isStale = true
    if (!isFetching) void fetch()
  }
}

/** Appends a record, goes on from the last one, so many times a second. Returns how many. */
export async function appendFor(file: string, seconds: number, perSecond: number): Promise<number> {
  const last: { uuid: string } = JSON.parse(readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '')
  const begun = performance.now()
  let parent = last.uuid
  let appended = 0
  while (performance.now() - begun < seconds * 1000) {
    const due = Math.floor(((performance.now() - begun) / 1000) * perSecond) + 1
    for (; appended < due; appended++) {
      const uuid = `aaaaaaaa-0000-4000-8000-${String(appended).padStart(12, '0')}`
      const said = { type: 'user', message: { role: 'user', content: wordsOf(appended) } }
      appendFileSync(file, `${JSON.stringify({ ...last, ...said, parentUuid: parent, uuid })}\n`)
      parent = uuid
    }
    await sleep(2)
  }
  return appended
}

export function wordsOf(appended: number): string {
  return `appended ${appended}.`
}

export function sizeOf(file: string): number {
  return statSync(file).size
}
