// A value that components can subscribe to. Enough for a page whose data is on the server.
import { useSyncExternalStore } from 'react'

export interface Store<Value> {
  get(): Value
  set(value: Value | ((before: Value) => Value)): void
  subscribe(listener: () => void): () => void
}

export function makeStore<Value>(first: Value): Store<Value> {
  let value = first
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      const after = typeof next === 'function' ? (next as (before: Value) => Value)(value) : next
      if (Object.is(after, value)) return
      value = after
      for (const listener of [...listeners]) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export function useStore<Value>(store: Store<Value>): Value {
  return useSyncExternalStore(store.subscribe, store.get)
}
