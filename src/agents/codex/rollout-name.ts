// rollout-<time>-<thread>[_<rollout>].jsonl[.zst]: the name of a file tells which thread it holds.

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const ROLLOUT = new RegExp(`^rollout-.*?(${UUID})(?:_${UUID})?$`, 'i')
const SUFFIX = /\.jsonl(?:\.zst)?$/

/** The thread a file is named after; undefined for a file that is no rollout. */
export function threadOf(fileName: string): string | undefined {
  if (!fileName.startsWith('rollout-') || !SUFFIX.test(fileName)) return undefined
  const stem = fileName.replace(SUFFIX, '')
  return ROLLOUT.exec(stem)?.[1] ?? stem
}

export function isCompressed(fileName: string): boolean {
  return fileName.endsWith('.zst')
}

/** The name a compressed rollout had before. */
export function plainName(fileName: string): string {
  return fileName.replace(/\.zst$/, '')
}
