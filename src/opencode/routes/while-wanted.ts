// For calls that take long: they end when whoever asked has gone, and when the API ends.
import type { Bus } from '../events/bus.ts'
import type { Subscription } from '../events/subscription.ts'

/** `signal`: of the request. What `work` is given is aborted with either. */
export async function whileWanted<T>(
  bus: Bus,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  const subscription = bus.subscribe()
  void untilClosed(subscription).then(() => ending.abort())
  try {
    return await work(AbortSignal.any([signal, ending.signal]))
  } finally {
    subscription.close()
  }
}

/** What is told meanwhile is let pass: the bus says to its listeners alone that it is over. */
async function untilClosed(subscription: Subscription): Promise<void> {
  while (subscription.closed === undefined) {
    subscription.take(Number.POSITIVE_INFINITY)
    await subscription.wait()
  }
}
