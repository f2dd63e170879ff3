// A clock for what is shown with its time.
import { useEffect, useState } from 'react'

const TICK_MS = 1000

/** The time, each second while it is needed. */
export function useNow(isNeeded: boolean): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    if (!isNeeded) return undefined
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [isNeeded])
  return now
}
