// What every store of a journal must do. A store passes a way to open one that is empty, and to open that same one again.
import { describe, expect, test } from 'vitest'
import type { Envelope, JournalEvent, JournalStore } from '../../../src/journal/store/store.ts'
import { numberOf, sampleEnvelope, sampleSession } from './samples.ts'

export interface Subject {
  /** With at most so many bytes in a page of events. */
  open(maxPageBytes?: number): Promise<JournalStore>
}

export function describeStore(name: string, makeSubject: () => Subject): void {
  describe(`sessions of ${name}`, () => describeSessions(makeSubject))
  describe(`events of ${name}`, () => describeEvents(makeSubject))
  describe(`pages of ${name}`, () => describePages(makeSubject))
}

function describeSessions(makeSubject: () => Subject): void {
  test('a session is as it was made, after a restart too', async () => {
    const { open } = makeSubject()
    const first = await open()
    const made = await first.createSession({ ...sampleSession('s'), createdAt: 5 }, { title: 'Shop' })
    expect(made).toMatchObject({ ...sampleSession('s'), createdAt: 5, destroyedAt: undefined, restoredBy: undefined })
    await first.close()
    const second = await open()
    expect(await second.getSession('s')).toEqual(made)
    expect(await second.getMetadata('s')).toEqual({ title: 'Shop' })
  })
  test('an id is taken once', async () => {
    const store = await makeSubject().open()
    await store.createSession(sampleSession('s'))
    await expect(store.createSession(sampleSession('s'))).rejects.toMatchObject({ code: 'usage' })
    expect((await store.listSessions({ limit: 10 })).sessions).toHaveLength(1)
  })
  test('a change leaves the rest alone', async () => {
    const store = await makeSubject().open()
    const made = await store.createSession(sampleSession('s'))
    await store.updateSession('s', { agentSessionId: 'new', restoredBy: 'session/load', initJson: null })
    expect(await store.getSession('s')).toEqual({
      ...made,
      agentSessionId: 'new',
      restoredBy: 'session/load',
      initJson: undefined,
    })
  })
  test('a destroyed session keeps its first time, and its events', async () => {
    const store = await makeSubject().open()
    await store.createSession(sampleSession('s'))
    await store.append('s', [sampleEnvelope(1)])
    await store.destroySession('s', 7)
    await store.destroySession('s', 8)
    expect((await store.getSession('s'))?.destroyedAt).toBe(7)
    expect(await store.count('s')).toBe(1)
    await store.updateSession('s', { destroyedAt: null })
    expect((await store.getSession('s'))?.destroyedAt).toBeUndefined()
  })
  test('the list is paged, newest first, whatever the clock said', async () => {
    const store = await makeSubject().open()
    for (const [index, id] of ['a', 'b', 'c', 'd', 'e'].entries())
      await store.createSession({ ...sampleSession(id), createdAt: 100 - index })
    const ids: string[][] = []
    let before: number | undefined
    do {
      const page = await store.listSessions({ limit: 2, ...(before === undefined ? {} : { before }) })
      expect(page.skipped).toEqual([])
      ids.push(page.sessions.map(({ id }) => id))
      before = page.before
    } while (before !== undefined)
    expect(ids).toEqual([['e', 'd'], ['c', 'b'], ['a']])
  })
  test('what is remembered of a session is replaced as a whole', async () => {
    const store = await makeSubject().open()
    await store.createSession(sampleSession('s'))
    expect(await store.getMetadata('s')).toBeUndefined()
    await store.setMetadata('s', { title: 'a', share: null })
    await store.setMetadata('s', { title: 'b' })
    expect(await store.getMetadata('s')).toEqual({ title: 'b' })
  })
  test('a session that is not there is an error, except to a look', async () => {
    const store = await makeSubject().open()
    const gone = { code: 'session-not-found', hint: expect.stringContaining('restored') }
    expect(await store.getSession('s')).toBeUndefined()
    await expect(store.append('s', [sampleEnvelope(1)])).rejects.toMatchObject(gone)
    await expect(store.updateSession('s', { cwd: '/' })).rejects.toMatchObject(gone)
    await expect(store.destroySession('s')).rejects.toMatchObject(gone)
    await expect(store.setMetadata('s', {})).rejects.toMatchObject(gone)
    await expect(store.page('s', { limit: 1 })).rejects.toMatchObject(gone)
    await expect(store.count('s')).rejects.toMatchObject(gone)
  })
}

function describeEvents(makeSubject: () => Subject): void {
  test.each([
    ['spaces and a line end', ' { "a" : 1 }\r'],
    ['numbers that JavaScript rounds', '{"id":12345678901234567890,"x":1.10,"x":2}'],
    ['escapes and characters of every length', '{"a":"\\u0000\\ud800 \\/ é 漢 😀 \u2028"}'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0xc3, 0x22])],
    ['no object', '[1,null,"_x/unknown"]'],
  ])('an envelope with %s comes back byte for byte', async (_, bytes) => {
    const { open } = makeSubject()
    const store = await open()
    await store.createSession(sampleSession('s'))
    const payload = Buffer.from(bytes)
    await store.append('s', [{ ...sampleEnvelope(1), payload }])
    const [event] = (await store.tail('s', 1)).events
    expect(event?.payload.equals(payload)).toBe(true)
    expect(event?.envelope).toEqual(JSON.parse(payload.toString('utf8')))
  })
  test('everything about an envelope is kept', async () => {
    const store = await makeSubject().open()
    await store.createSession(sampleSession('s'))
    const envelope: Envelope = { ...sampleEnvelope(1), sender: 'client', kind: '_x/y', id: 'event-1', createdAt: 3 }
    await store.append('s', [envelope])
    expect((await store.tail('s', 1)).events).toMatchObject([{ ...envelope, sessionId: 's', seq: 1 }])
  })
  test('numbers have no gaps, and are each session its own', async () => {
    const store = await makeSubject().open()
    await store.createSession(sampleSession('a'))
    await store.createSession(sampleSession('b'))
    const given = await Promise.all([
      store.append('a', [sampleEnvelope(1), sampleEnvelope(2)]),
      store.append('b', [sampleEnvelope(1)]),
      store.append('a', []),
      store.append('a', [sampleEnvelope(3)]),
    ])
    expect(given.map(({ firstSeq, lastSeq }) => [firstSeq, lastSeq])).toEqual([
      [1, 2],
      [1, 1],
      [3, 2],
      [3, 3],
    ])
  })
  test('the order is that of the calls, also where the clock goes backwards', async () => {
    const store = await makeSubject().open()
    await store.createSession(sampleSession('s'))
    const calls = Array.from({ length: 300 }, (_, n) =>
      store.append('s', [{ ...sampleEnvelope(n), createdAt: 1000 - n }]),
    )
    await Promise.all(calls)
    const { events } = await store.page('s', { limit: 300 })
    expect(events.map(numberOf)).toEqual(Array.from({ length: 300 }, (_, n) => n))
  })
  test('an envelope and what it changes are there together', async () => {
    const { open } = makeSubject()
    const store = await open()
    await store.createSession(sampleSession('s'))
    await store.append('s', [sampleEnvelope(1)], { session: { agentSessionId: 'x' }, metadata: { title: 'T' } })
    expect((await store.getSession('s'))?.agentSessionId).toBe('x')
    expect(await store.getMetadata('s')).toEqual({ title: 'T' })
  })
  test('of what is refused nothing stays, and nothing else that was written with it is lost', async () => {
    const store = await makeSubject().open()
    await store.createSession(sampleSession('s'))
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    const outcomes = await Promise.allSettled([
      store.append('s', [sampleEnvelope(1)]),
      store.append('nowhere', [sampleEnvelope(2)]),
      store.append('s', [sampleEnvelope(3)], { metadata: circle }),
      store.append('s', [{ ...sampleEnvelope(4), payload: Buffer.from('{"torn":') }]),
      store.append('s', [sampleEnvelope(5)]),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled'])
    expect((await store.page('s', { limit: 10 })).events.map(numberOf)).toEqual([1, 5])
  })
  test('a journal that is closed has written everything, and takes nothing more', async () => {
    const { open } = makeSubject()
    const store = await open()
    await store.createSession(sampleSession('s'))
    const calls = Array.from({ length: 50 }, (_, n) => store.append('s', [sampleEnvelope(n)]))
    await store.close()
    await expect(store.append('s', [sampleEnvelope(1)])).rejects.toMatchObject({ code: 'stopped' })
    expect((await Promise.all(calls)).at(-1)?.lastSeq).toBe(50)
    expect(await (await open()).count('s')).toBe(50)
  })
}

function describePages(makeSubject: () => Subject): void {
  const filled = async (count: number, maxPageBytes?: number): Promise<JournalStore> => {
    const store = await makeSubject().open(maxPageBytes)
    await store.createSession(sampleSession('s'))
    await store.createSession(sampleSession('t'))
    await store.append('t', [sampleEnvelope(99)])
    if (count > 0)
      await store.append(
        's',
        Array.from({ length: count }, (_, n) => sampleEnvelope(n + 1)),
      )
    return store
  }
  const seqs = (events: JournalEvent[]): number[] => events.map(({ seq }) => seq)

  test('an empty session has an empty page', async () => {
    const store = await filled(0)
    expect(await store.page('s', { limit: 5 })).toMatchObject({ events: [], skipped: [], total: 0 })
    expect((await store.tail('s', 5)).events).toEqual([])
  })
  test('forwards, every event once', async () => {
    const store = await filled(7)
    const pages: number[][] = []
    for (let after = 0; after < 7; after = pages.at(-1)?.at(-1) ?? 7)
      pages.push(seqs((await store.page('s', { after, limit: 3 })).events))
    expect(pages).toEqual([[1, 2, 3], [4, 5, 6], [7]])
  })
  test('backwards, every event once, each page in order', async () => {
    const store = await filled(7)
    const last = await store.tail('s', 3)
    const middle = await store.page('s', { before: last.firstSeq, limit: 3 })
    const first = await store.page('s', { before: middle.firstSeq, limit: 3 })
    expect([first, middle, last].map(({ events }) => seqs(events))).toEqual([[1], [2, 3, 4], [5, 6, 7]])
    expect(first).toMatchObject({ firstSeq: 1, lastSeq: 1, total: 7 })
  })
  test('behind the last there is nothing', async () => {
    const store = await filled(2)
    expect((await store.page('s', { after: 2, limit: 5 })).events).toEqual([])
    expect((await store.page('s', { before: 1, limit: 5 })).events).toEqual([])
  })
  test('large events make a page shorter, on the side that can be asked for again', async () => {
    const store = await filled(9, 2.5 * sampleEnvelope(1).payload.length)
    expect(await store.page('s', { after: 2, limit: 9 })).toMatchObject({ firstSeq: 3, lastSeq: 5 })
    expect(seqs((await store.tail('s', 9)).events)).toEqual([7, 8, 9])
  })
  test.each([-1, 0.5, Number.NaN])('a page after or before %s is refused', async seq => {
    const store = await filled(1)
    await expect(store.page('s', { limit: 1, after: seq })).rejects.toMatchObject({ code: 'usage' })
    await expect(store.page('s', { limit: 1, before: seq })).rejects.toMatchObject({ code: 'usage' })
  })
  test.each([0, -1, 1.5, Number.NaN, 10_001])('a page of %s is refused', async limit => {
    const store = await filled(1)
    await expect(store.page('s', { limit })).rejects.toMatchObject({ code: 'usage' })
    await expect(store.listSessions({ limit })).rejects.toMatchObject({ code: 'usage' })
  })
}
