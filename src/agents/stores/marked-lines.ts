// Lines of a log that a first pass has marked, by their starts.

/** Whether lines are marked. They are asked for in the order of the log, the first at `from` or later. */
export function markedFrom(starts: Float64Array, from: number): (start: number) => boolean {
  let at = firstFrom(starts, from)
  return start => {
    for (let next = starts[at]; next !== undefined && next < start; next = starts[at]) at++
    return starts[at] === start
  }
}

function firstFrom(starts: Float64Array, from: number): number {
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((starts[middle] ?? 0) < from) low = middle + 1
    else high = middle
  }
  return low
}
