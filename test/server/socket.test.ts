// Hello, named sessions, and what a client that talks nonsense or does not listen gets.
import { readFileSync, rmSync } from 'node:fs'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { sessionsPageSchema } from '../../src/server/api.ts'
import { HELLO_MS } from '../../src/server/limits.ts'
import { CLOSE, PROTOCOL_VERSION } from '../../src/server/protocol.ts'
import type { Conversation } from '../support/conversations.ts'
import { appendMessage, putConversation, sessionId } from '../support/conversations.ts'
import { ownStage, shareStage, TOKEN } from '../support/server.ts'
import { SocketClient } from '../support/socket-client.ts'

const there: Conversation[] = []
const stage = shareStage(home => {
  there.push(putConversation(home, 1), putConversation(home, 2, { brokenAt: 9 }), putConversation(home, 3))
})

async function connected(): Promise<SocketClient> {
  const client = new SocketClient(stage().port)
  await client.opened()
  return client
}

afterEach(() => {
  vi.useRealTimers()
})

describe('hello', () => {
  test('is answered with what there is', async () => {
    const client = await connected()
    const ready = await client.hello(TOKEN)
    expect(ready).toMatchObject({ protocol: PROTOCOL_VERSION, version: '0.0.0-test', terminals: [] })
    expect(ready.progress.phase).toBe('done')
    await client.leave()
  })

  test('tells what is known of the named sessions at once, by key or by id', async () => {
    const client = await stage().client({ active: sessionId(1), visible: [stage().key(sessionId(2))] })
    const whole = await client.sees('session.status', message => message.sessionId === sessionId(1))
    expect(whole).toMatchObject({ key: stage().key(sessionId(1)), agent: 'claude-code', status: 'healthy' })
    const damaged = await client.sees('session.status', message => message.sessionId === sessionId(2))
    expect(damaged).toMatchObject({ status: 'corrupted', loads: { now: 2, afterRepair: 10 }, findings: 1 })
    await client.leave()
  })

  test('says of a session that is nowhere that it is missing', async () => {
    const client = await stage().client({ visible: ['nobody'] })
    expect(await client.sees('session.status')).toMatchObject({ key: 'nobody', status: 'missing' })
    await client.leave()
  })

  test('without a version is taken as the first one', async () => {
    const client = await connected()
    client.socket.send(JSON.stringify({ type: 'hello', token: TOKEN }))
    await client.sees('ready')
    expect(client.got.filter(({ type }) => type === 'error')).toEqual([])
    await client.leave()
  })

  test('of another version learns so, and goes on', async () => {
    const client = await connected()
    client.send({ type: 'hello', token: TOKEN, protocol: PROTOCOL_VERSION + 1 })
    expect(await client.sees('error')).toMatchObject({ code: 'other-version', hint: 'Reload the page.' })
    await client.sees('ready')
    await client.leave()
  })

  test('that does not come in time ends the connection', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const client = await connected()
    await client.settled()
    vi.advanceTimersByTime(HELLO_MS)
    vi.useRealTimers()
    expect(await client.closed).toEqual({ code: CLOSE.noHello, reason: 'Say hello first.' })
  })
})

describe('a session that a client has named and that is deleted', () => {
  test('is reported as missing, and again when it is back, whether it was named as active, visible or background', async () => {
    const named = [1, 2, 3]
    const put = (home: string) => named.map(n => putConversation(home, n))
    const own = await ownStage(home => void put(home))
    await own.checked()
    const [active, visible = '', background = ''] = named.map(sessionId)
    const keys = new Map(named.map(n => [n, own.key(sessionId(n))]))
    const client = await own.client({ active, visible: [visible], background: [background] })
    const sees = (n: number, wanted: string) =>
      client.sees('session.status', message => message.sessionId === sessionId(n) && message.status === wanted)
    for (const n of named) await sees(n, 'healthy')
    for (const { file } of put(own.home)) rmSync(file)
    for (const n of named) {
      const gone = await sees(n, 'missing')
      expect(gone).toMatchObject({ key: keys.get(n), agent: 'claude-code' })
      expect(gone.reason).not.toBe('')
    }
    put(own.home)
    const notified = client.got.length
    await own.server.services.sessions.refresh()
    const backAgain = (): unknown[] =>
      client.got
        .slice(notified)
        .flatMap(message => (message.type === 'session.status' && message.status === 'healthy' ? [message.key] : []))
    await client.until(() => new Set(backAgain()).size === named.length, 'the sessions that came back')
  })
})

describe('looking at a session', () => {
  test('repairs nothing', async () => {
    const file = there[1]?.file ?? ''
    const before = readFileSync(file)
    const client = await stage().client({ active: sessionId(2) })
    await client.sees('session.status', ({ status }) => status === 'corrupted')
    const { key } = await client.sees('session.status')
    await stage().ask(`/api/sessions/${key}/health`)
    await stage().ask(`/api/sessions/${key}/plan`)
    await stage().ask(`/api/sessions/${key}/messages`)
    expect(readFileSync(file)).toEqual(before)
    expect(client.got.filter(message => message.type === 'session.status' && message.status === 'repairing')).toEqual(
      [],
    )
    await client.leave()
  })

  test('is reported to those who named it, and to no others', async () => {
    const [named, other, none] = [
      await stage().client({ background: [sessionId(2)] }),
      await stage().client({ active: sessionId(1), visible: [sessionId(3)] }),
      await stage().client(),
    ]
    await stage().post(`/api/sessions/${stage().key(sessionId(2))}/repair`)
    await named.sees('session.status', ({ status }) => status === 'repairing')
    expect(await named.sees('session.status', ({ status }) => status === 'repaired')).toMatchObject({
      sessionId: sessionId(2),
      orphansFixed: 1,
    })
    await stage().post(`/api/sessions/${stage().key(sessionId(2))}/undo`)
    for (const client of [other, none]) {
      await client.settled()
      const notified = client.got.flatMap(message => (message.type === 'session.status' ? [message.sessionId] : []))
      expect(notified).not.toContain(sessionId(2))
    }
    for (const client of [named, other, none]) await client.leave()
  })

  test('that grows is reported to clients that have it open, and to no others', async () => {
    const [open, visible, moved] = [
      await stage().client({ active: sessionId(3) }),
      await stage().client({ visible: [sessionId(3)] }),
      await stage().client({ active: sessionId(3) }),
    ]
    moved.send({ type: 'focus', sessions: { active: sessionId(1) } })
    await moved.settled()
    for (const n of [11, 12]) appendMessage(there[2] ?? there[0] ?? fail(), n)
    const changed = await open.sees('session.changed', ({ fileSize }) => fileSize === sizeOf(there[2]?.file ?? ''))
    expect(changed).toMatchObject({ sessionId: sessionId(3), key: stage().key(sessionId(3)) })
    for (const client of [visible, moved]) {
      await client.settled()
      expect(client.got.filter(({ type }) => type === 'session.changed')).toEqual([])
    }
    for (const client of [open, visible, moved]) await client.leave()
  })

  test('that grew since it was listed is reported to each client that opens it, once', async () => {
    const grown: Conversation[] = []
    const own = await ownStage(home => void grown.push(putConversation(home, 1)))
    await own.checked()
    const clients = [await own.client(), await own.client()]
    // No scan lists it again meanwhile, however long that takes.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    onTestFinished(() => void vi.restoreAllMocks())
    appendMessage(grown[0] ?? fail(), 11)
    for (const client of clients)
      for (const _ of [1, 2]) {
        client.send({ type: 'focus', sessions: { active: sessionId(1) } })
        await client.settled()
        const changes = client.got.filter(({ type }) => type === 'session.changed')
        expect(changes).toMatchObject([{ sessionId: sessionId(1), fileSize: sizeOf(grown[0]?.file ?? '') }])
      }
  })
})

describe('nonsense', () => {
  test.each([
    'this is no JSON',
    '{"type":"colour"}',
    '[]',
    'null',
    '{"type":"terminal.input"}',
    '{"type":"focus","sessions":{"visible":"all"}}',
    `{"type":"focus","sessions":{"visible":${JSON.stringify(Array.from({ length: 501 }, String))}}}`,
    '['.repeat(10_000),
  ])('%.40s is answered with an error, and the connection goes on', async text => {
    const client = await stage().client()
    client.socket.send(text)
    expect(await client.sees('error')).toMatchObject({ code: 'usage' })
    await client.hello(TOKEN)
    await client.leave()
  })

  test('in bytes as well', async () => {
    const client = await stage().client()
    client.socket.send(Buffer.from([0, 1, 2, 255]))
    expect(await client.sees('error')).toMatchObject({ code: 'usage' })
    await client.leave()
  })

  test('names the request where it can be made out', async () => {
    const client = await stage().client()
    client.socket.send('{"type":"terminal.create","requestId":"r7","cols":"wide"}')
    expect(await client.sees('error')).toMatchObject({ requestId: 'r7' })
    await client.leave()
  })

  test('about terminals that are not there', async () => {
    const client = await stage().client()
    client.send({ type: 'terminal.input', terminalId: 'none', data: 'x' })
    expect(await client.sees('error')).toMatchObject({ code: 'not-found' })
    client.send({ type: 'terminal.attach', requestId: 'r1', terminalId: 'none', cols: 80, rows: 24 })
    await client.sees('error', ({ requestId }) => requestId === 'r1')
    client.send({ type: 'terminal.choose', requestId: 'r2', choice: 'wait' })
    await client.sees('error', ({ requestId }) => requestId === 'r2')
    await client.leave()
  })

  test('without end is cut off', async () => {
    const client = await stage().client()
    for (let n = 0; n < 2000; n++) client.socket.send('x')
    expect((await client.closed).code).toBe(CLOSE.tooMany)
  })
})

test('a client that does not read is dropped with a reason, while others go on', async () => {
  const [slow, other] = [await stage().client(), await stage().client()]
  // It is not cut off before it has read why, however long this test takes over it.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  slow.socket.pause()
  const text = 'x'.repeat(4 * 1024 * 1024)
  const { broadcast } = stage().server.services
  for (let sent = 0; sent < 24; sent++) {
    broadcast({ type: 'error', code: `${sent}`, text, hint: '' })
    await other.sees('error', ({ code }) => code === `${sent}`)
  }
  slow.socket.resume()
  const { code, reason } = await slow.closed
  expect(code).toBe(CLOSE.tooSlow)
  expect(reason).toMatch(/does not read/)
  await other.settled()
  await other.leave()
})

test('named sessions are checked first with hundreds of others queued, also those that were named before they were found', async () => {
  const many: Conversation[] = []
  const late = await ownStage(home => {
    for (let n = 0; n < 400; n++) many.push(putConversation(home, n, { messages: 2 }))
  })
  const order: string[] = []
  let onVerdict = (): void => undefined
  late.server.services.checks.on('status', message => {
    order.push(message.sessionId)
    onVerdict()
  })
  const [early, then] = [[250, 399, 120].map(sessionId), [251, 398, 121].map(sessionId)]
  const client = await late.client({ active: early[0], visible: early.slice(1) })
  const named = order.length
  // The client hears of few of them.
  await new Promise<void>(resolve => {
    onVerdict = () => {
      if (order.length >= named + 30 || order.length >= many.length) resolve()
    }
    onVerdict()
  })
  client.send({ type: 'focus', sessions: { active: then[0], background: then.slice(1) } })
  // Until then the server may not have read it, however many it checks meanwhile.
  await client.settled()
  const before = order.length
  await late.checked()
  const place = (id: string): number => order.indexOf(id)
  // Those whose check had begun by then come before them, and a few that threads have at hand.
  for (const id of early) expect(place(id), `${id} in ${order}`).toBeLessThan(named + 30)
  for (const id of then) expect(place(id)).toBeLessThan(before + 60)
  appendMessage(many[251] ?? fail(), 3)
  expect(await client.sees('session.changed')).toMatchObject({ sessionId: then[0] })
})

test('a session that its agent begins later is found, checked and listed', async () => {
  const late = await ownStage(home => void putConversation(home, 1))
  await late.checked()
  const client = await late.client({ visible: [sessionId(2)] })
  await client.sees('session.status', ({ status }) => status === 'missing')
  putConversation(late.home, 2, { brokenAt: 9 })
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now())
  onTestFinished(() => void vi.restoreAllMocks())
  await late.ask('/api/sessions')
  expect(await client.sees('session.status', ({ status }) => status === 'corrupted')).toMatchObject({
    sessionId: sessionId(2),
  })
  expect((await late.get('/api/sessions', sessionsPageSchema)).total).toBe(2)
})

function sizeOf(file: string): number {
  return readFileSync(file).length
}

function fail(): never {
  throw new Error('It was not made.')
}
