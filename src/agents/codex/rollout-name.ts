// rollout-<time>-<thread>[_<rollout>].jsonl[.zst]: the file's name contains its thread.

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const ROLLOUT = new RegExp(`^rollout-.*?(${UUID})(?:_${UUID})?$`, 'i')
const SUFFIX = /\.jsonl(?:\.zst)?$/

/** The thread in a file's name. Undefined for a file that is not a rollout. */
export function threadOf(fileName: string): string | undefined {
  if (!fileName.startsWith('rollout-') || !SUFFIX.test(fileName)) return undefined
  const stem = fileName.replace(SUFFIX, '')
  return ROLLOUT.exec(stem)?.[1] ?? stem
}

export function isCompressed(fileName: string): boolean {
  return fileName.endsWith('.zst')
}

/** The name of a compressed rollout before the compression. */
export function plainName(fileName: string): string {
  return fileName.replace(/\.zst$/, '')
}
