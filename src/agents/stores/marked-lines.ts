// Lines of a part of a log that a first pass has marked, by their starts.

/** Whether lines are marked. They are asked for in the order of the log. */
export function isMarkedIn(starts: Float64Array): (start: number) => boolean {
  let at = 0
  return start => {
    for (let next = starts[at]; next !== undefined && next < start; next = starts[at]) at++
    return starts[at] === start
  }
}
