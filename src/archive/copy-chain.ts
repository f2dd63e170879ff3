// Copies a chain from one store into another.
import { createHash } from 'node:crypto'
import type { ArchiveStore, SegmentName } from '../disk/archive/store.ts'
import { loadChain } from './chain.ts'
import { encodeSegment } from './segment.ts'

export type CopyOutcome = 'added' | 'known' | 'beside'

/**
 * Where the target has the chain with another content, the copy gets a name of its own, so that both stay.
 * Throws `archive-damaged` where the source is damaged: repair it first.
 */
export async function copyChain(
  source: ArchiveStore,
  names: readonly SegmentName[],
  target: ArchiveStore,
  id: string,
  origin: string,
): Promise<CopyOutcome> {
  const present = new Set((await target.list(id)).map(({ hash }) => hash))
  if (names.every(({ hash }) => present.has(hash))) return 'known'
  // The target has an older state of the same chain, or nothing of it.
  if ([...present].every(hash => names.some(name => name.hash === hash))) {
    for (const { sequence, ...name } of names) await target.put(id, sequence, await source.read({ ...name, sequence }))
    return 'added'
  }
  const chain = await loadChain(source, id, names)
  const fresh = createHash('sha256').update(`${id}\n${origin}`).digest('hex').slice(0, 32)
  let previous: string | null = null
  for (const { name, header, payload } of chain?.segments ?? []) {
    const { replaces: _, standsFor: __, ...rest } = header
    const bytes = await source.read(name)
    const written: SegmentName = await target.put(
      fresh,
      name.sequence,
      encodeSegment({ ...rest, chain: fresh, previous }, [bytes.subarray(payload)]),
    )
    previous = written.hash
  }
  return 'beside'
}
