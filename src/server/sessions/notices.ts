// Notifies listeners. Changes are collected: a thousand in a second become a few notices.
import type { Progress } from '../api.ts'

const NOTICE_MS = 250

export interface Notices {
  changed(): void
  progress(progress: Progress): void
  onChanged(listener: () => void): () => void
  onProgress(listener: (progress: Progress) => void): () => void
  close(): void
}

export function makeNotices(): Notices {
  const onChange = new Set<() => void>()
  const onProgress = new Set<(progress: Progress) => void>()
  let timer: NodeJS.Timeout | undefined
  const fire = (): void => {
    timer = undefined
    for (const listener of onChange) listener()
  }
  return {
    changed() {
      timer ??= setTimeout(fire, NOTICE_MS)
    },
    progress(progress) {
      for (const listener of onProgress) listener(progress)
    },
    onChanged: listener => listen(onChange, listener),
    onProgress: listener => listen(onProgress, listener),
    close() {
      clearTimeout(timer)
      onChange.clear()
      onProgress.clear()
    },
  }
}

/** A function that is registered twice is two listeners. */
function listen<Values extends unknown[]>(
  listeners: Set<(...values: Values) => void>,
  listener: (...values: Values) => void,
): () => void {
  const own = (...values: Values): void => listener(...values)
  listeners.add(own)
  return () => void listeners.delete(own)
}
