// Whether the connection has been gone for so long that a person should know.
import { useEffect, useState } from 'react'
import { connection } from '../state/socket.ts'
import { useStore } from '../state/store.ts'

const CALM_MS = 1500

/** A connection that is back by then was never missed. */
export function useLongLost(): boolean {
  const isLost = useStore(connection).state !== 'ready'
  const [isLong, setIsLong] = useState(false)
  useEffect(() => {
    if (!isLost) return setIsLong(false)
    const timer = setTimeout(() => setIsLong(true), CALM_MS)
    return () => clearTimeout(timer)
  }, [isLost])
  return isLong
}
