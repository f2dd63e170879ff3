// A subscription as a stream of server-sent events.
import type { OpenCodeEvent } from '../shapes/event.ts'
import type { Bus, SubscribeOptions, Subscription } from './bus.ts'
import { type EventFormat, makeComment, makeFrame } from './bus.ts'

/** Bytes given to a stream at once, so that one listener does not hold up the others. */
const BATCH_BYTES = 256 * 1024
export const HEARTBEAT_MS = 10_000
/** Comments for proxies, which do not know the heartbeat event. */
const KEEP_ALIVE_MS = 15_000

export interface SseOptions {
  format: EventFormat
  directory?: string
  /** The `Last-Event-ID` header of a client that reconnects. */
  lastEventId?: string | undefined
  /** What a client that was not connected has to know. Sent before all further events. */
  state?(): Promise<StateEvent[]>
  /** The signal of the HTTP request. */
  signal?: AbortSignal
}

export interface StateEvent {
  event: OpenCodeEvent
  directory: string
}

type Controller = ReadableStreamDefaultController<Uint8Array>

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  // Keeps proxies from buffering the stream.
  'X-Accel-Buffering': 'no',
}
const MISSED = 'Events were missed and are no longer stored. Fetch your data again.'

export function sseResponse(bus: Bus, options: SseOptions): Response {
  return new Response(sseStream(bus, options), { headers: HEADERS })
}

export function sseStream(bus: Bus, options: SseOptions): ReadableStream<Uint8Array> {
  const subscription = bus.subscribe(subscribeOptions(options))
  let timers: NodeJS.Timeout[] = []
  const end = (): void => {
    for (const timer of timers) clearInterval(timer)
    options.signal?.removeEventListener('abort', end)
    subscription.close()
  }
  const source = {
    async start(controller: Controller) {
      greet(controller, subscription, options.format)
      timers = startTimers(controller, () => heartbeat(subscription, options.format))
      options.signal?.addEventListener('abort', end)
      if (options.signal?.aborted === true) end()
      const state = (await options.state?.()) ?? []
      if (subscription.closed !== undefined) return
      for (const { event, directory } of state)
        controller.enqueue(makeFrame(event, subscription.cursor, { format: options.format, directory }))
    },
    async pull(controller: Controller) {
      if (await passOn(controller, subscription, options.format)) return
      controller.enqueue(makeComment(`The stream ends: ${subscription.closed ?? ''}. Continue with Last-Event-ID.`))
      controller.close()
      end()
    },
    cancel: end,
  }
  // Without a buffer, a read means that the chunk before it was written.
  return new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: 0 }))
}

/** False when the subscription has ended. */
async function passOn(controller: Controller, subscription: Subscription, format: EventFormat): Promise<boolean> {
  while (subscription.closed === undefined) {
    const frames = subscription.take(BATCH_BYTES).map(entry => entry.frame(format))
    // One chunk, because the number of chunks is what costs with many listeners.
    if (frames.length > 0) {
      controller.enqueue(Buffer.concat(frames))
      return true
    }
    await subscription.wait()
  }
  return false
}

/**
 * Its id is the position of the listener, so that a client disconnected before the first event misses none.
 */
function greet(controller: Controller, { cursor, hasMissed }: Subscription, format: EventFormat): void {
  const properties = hasMissed ? { missed: true } : {}
  controller.enqueue(makeFrame({ type: 'server.connected', properties }, cursor, { format, isResumable: true }))
  if (hasMissed) controller.enqueue(makeComment(MISSED))
}

function heartbeat({ cursor }: Subscription, format: EventFormat): Buffer {
  return makeFrame({ type: 'server.heartbeat', properties: {} }, cursor, { format })
}

/** A stream with a chunk that its client has not read needs no heartbeat. */
function startTimers(controller: Controller, makeHeartbeat: () => Buffer): NodeJS.Timeout[] {
  const every = (ms: number, make: () => Buffer) =>
    setInterval(() => {
      if ((controller.desiredSize ?? -1) >= 0) controller.enqueue(make())
    }, ms).unref()
  return [every(HEARTBEAT_MS, makeHeartbeat), every(KEEP_ALIVE_MS, () => makeComment('keep-alive'))]
}

/** An invalid id counts as one that is no longer available. */
function subscribeOptions({ directory, lastEventId }: SseOptions): SubscribeOptions {
  const scope = directory === undefined ? {} : { directory }
  if (lastEventId === undefined || lastEventId === '') return scope
  return { ...scope, after: /^\d{1,16}$/.test(lastEventId) ? Number(lastEventId) : -1 }
}
