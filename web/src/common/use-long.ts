// Whether a condition has lasted so long that the user should see it. Shorter ones are not shown.
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
