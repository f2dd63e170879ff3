// What every store of an archive must do. One call in the test of each store.
import { expect, test } from 'vitest'
import type { ArchiveStore } from '../../src/disk/archive/store.ts'

export interface StoreUnderTest {
  open(): ArchiveStore
  /** Changes one byte of the only segment that is stored. */
  damage(): void
}

const CHAIN = 'a'.repeat(32)
const OTHER = 'ab'.repeat(16)
const bytes = (text: string) => Buffer.from(text)

export function archiveStoreConformance(title: string, make: () => StoreUnderTest): void {
  test(`${title}: a segment is read as it was stored, also by another process`, async () => {
    const { open } = make()
    const store = open()
    const name = await store.put(CHAIN, 0, bytes('one'))
    await store.sync()
    expect(await open().read(name)).toEqual(bytes('one'))
    expect(await open().readHead(name, 2)).toEqual(bytes('on'))
    expect(await open().size(name)).toBe(3)
    expect(await open().verify(name)).toEqual({ type: 'good' })
  })

  test(`${title}: segments are listed by chain and sequence, and an empty store has none`, async () => {
    const store = make().open()
    expect(await store.list()).toEqual([])
    const third = await store.put(OTHER, 0, bytes('three'))
    const second = await store.put(CHAIN, 12, bytes('two'))
    const first = await store.put(CHAIN, 3, bytes('one'))
    expect(await store.list(CHAIN)).toEqual([first, second])
    expect(await store.list()).toEqual([first, second, third])
    expect(await store.list('b'.repeat(32))).toEqual([])
  })

  test(`${title}: the same bytes are stored once, other bytes never replace them`, async () => {
    const store = make().open()
    const first = await store.put(CHAIN, 0, bytes('one'))
    expect(await store.put(CHAIN, 0, bytes('one'))).toEqual(first)
    await store.put(CHAIN, 0, bytes('another'))
    expect(await store.list()).toHaveLength(2)
    expect(await store.read(first)).toEqual(bytes('one'))
  })

  test(`${title}: a changed byte is found by reading and by verifying, and can be set aside`, async () => {
    const { open, damage } = make()
    const store = open()
    const name = await store.put(CHAIN, 0, bytes('one'))
    await store.sync()
    damage()
    await expect(store.read(name)).rejects.toMatchObject({ code: 'archive-damaged' })
    expect(await store.verify(name)).toMatchObject({ type: 'damaged' })
    await store.setAside(name)
    expect(await store.list()).toEqual([])
    expect(await store.verify(name)).toEqual({ type: 'missing' })
  })

  test(`${title}: a removed segment is gone, and removing it again is no error`, async () => {
    const store = make().open()
    const name = await store.put(CHAIN, 0, bytes('one'))
    await store.remove(name)
    await store.remove(name)
    await store.sync()
    expect(await store.list()).toEqual([])
    await expect(store.read(name)).rejects.toMatchObject({ code: 'not-found' })
  })

  test.each(['', 'x', '../../etc', 'a'.repeat(33), 'A'.repeat(32), `${'a'.repeat(31)}/`])(
    `${title}: a chain named %j is refused`,
    async chain => {
      await expect(make().open().put(chain, 0, bytes('one'))).rejects.toThrow('not the name of a segment')
    },
  )
}
