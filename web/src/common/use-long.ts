// Whether something has lasted so long that a person should know: what is over by then was never missed.
import { useEffect, useState } from 'react'

const CALM_MS = 1500

export function useLong(isSo: boolean): boolean {
  const [isLong, setIsLong] = useState(false)
  useEffect(() => {
    if (!isSo) return setIsLong(false)
    const timer = setTimeout(() => setIsLong(true), CALM_MS)
    return () => clearTimeout(timer)
  }, [isSo])
  return isLong
}
