// The creation time of an id. The id holds only the lower 36 bits of the milliseconds, so an approximate time
// is needed.

const CLOCK = /^(?:msg|prt)_([\da-f]{12})/
/** The ids of sessions count backwards, so that the newest comes first. */
const BACKWARDS = /^ses_([\da-f]{12})/
const ROUND_MS = 2 ** 36
const STEPS_PER_MS = 4096

/** Milliseconds since 1970, in the clock period nearest to `near`. Undefined if the id holds no time. */
export function timeOfId(id: string, near: number): number | undefined {
  const forwards = CLOCK.exec(id)?.[1]
  const backwards = BACKWARDS.exec(id)?.[1]
  const digits = forwards ?? backwards
  if (digits === undefined) return undefined
  const clock = Number.parseInt(digits, 16)
  const steps = forwards === undefined ? 2 ** 48 - 1 - clock : clock
  const ms = Math.floor(steps / STEPS_PER_MS)
  return ms + Math.round((near - ms) / ROUND_MS) * ROUND_MS
}
