// The interface of an archive: immutable segments in chains, one chain for each session. A segment is found
// by what it holds, so that any program can carry the archive elsewhere.

/** In the state folder, unless a setting says otherwise. */
export const ARCHIVE_FOLDER = 'archive'

export interface SegmentName {
  /** 32 hexadecimal digits. */
  chain: string
  /** The number of the first restore point in it. */
  sequence: number
  /** SHA-256 of all of its bytes. */
  hash: string
}

export interface ArchiveStore {
  /** For a person: where it is. */
  place: string
  /** Every segment, or those of one chain, sorted by chain, sequence and hash. */
  list(chain?: string): Promise<SegmentName[]>
  /**
   * Stores a segment as a whole or not at all. It is durable, and seen by others,
   * after the next `sync`. Storing the same bytes again changes nothing. Throws
   * `no-space`, `permission-denied` and other write errors.
   */
  put(chain: string, sequence: number, bytes: Buffer): Promise<SegmentName>
  /** Where it fails, what was put since the last one is not stored. */
  sync(): Promise<void>
  /**
   * Throws `archive-damaged` where the bytes are not those that
   * were stored, `not-found` where there are none.
   */
  read(name: SegmentName): Promise<Buffer>
  /** The first bytes, unverified. */
  readHead(name: SegmentName, bytes: number): Promise<Buffer>
  /** The number of stored bytes. */
  size(name: SegmentName): Promise<number>
  verify(name: SegmentName): Promise<SegmentState>
  /** Only for a segment whose content another one holds, durably. */
  remove(name: SegmentName): Promise<void>
  /** Takes a damaged segment out of its chain and keeps its bytes for a person. Returns where they are. */
  setAside(name: SegmentName): Promise<string>
}

export type SegmentState = { type: 'good' } | { type: 'missing' } | { type: 'damaged'; text: string }

const CHAIN = /^[0-9a-f]{32}$/
const HASH = /^[0-9a-f]{64}$/

export function isSegmentName({ chain, sequence, hash }: SegmentName): boolean {
  return CHAIN.test(chain) && HASH.test(hash) && Number.isSafeInteger(sequence) && sequence >= 0
}

export function compareNames(a: SegmentName, b: SegmentName): number {
  if (a.chain !== b.chain) return a.chain < b.chain ? -1 : 1
  return a.sequence - b.sequence || (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0)
}
