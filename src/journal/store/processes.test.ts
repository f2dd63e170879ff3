// Real processes: killed while they append, two on one journal, and a real file system that is full or read-only.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { numberOf, sampleEnvelope, sampleSession } from '../../../test/support/journal/samples.ts'
import { startWriter, type Writer } from '../../../test/support/writer.ts'
import { openJournal } from './open.ts'
import type { JournalStore } from './store.ts'

const urlOf = (name: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, name)).href)
const IMPORTS = `
const { openJournal } = await import(${urlOf('open.ts')})
const { sampleEnvelope, sampleSession } = await import(${urlOf('../../../test/support/journal/samples.ts')})
const longText = n => 'x'.repeat((n * 7919) % 5000)
`
/** Says "seq n" for each envelope when it is acknowledged; twenty are on their way at any time. */
const FLOOD = `${IMPORTS}
const store = await openJournal(path)
let n = Number(await next())
const send = async () => {
  for (;;) {
    const mine = n++
    const { lastSeq } = await store.append('s', [sampleEnvelope(mine, longText(mine))])
    say(lastSeq + ' ' + mine)
  }
}
await Promise.all(Array.from({ length: 20 }, send))
`

test('killed in the middle of appends: all that was acknowledged is there, whole and in order', async () => {
  const path = join(temporaryHome(), 'journal.sqlite')
  await withStore(path, async store => await store.createSession(sampleSession('s')))
  let total = 0
  for (const enough of [1, 60, 400]) {
    const writer = startWriter(path, FLOOD)
    writer.send(String(total + 1))
    const acknowledged: string[] = []
    while (acknowledged.length < enough) acknowledged.push(await writer.heard())
    await writer.kill()
    acknowledged.push(...(await restOf(writer)))
    total = await withStore(path, async store => {
      const { events, skipped } = await store.page('s', { after: 0, limit: 10_000 })
      expect(skipped).toEqual([])
      // Each is sent with the number it gets, so one that is torn, twice there or out of order shows.
      for (const event of events) {
        expect(numberOf(event)).toBe(event.seq)
        expect(event.payload.equals(sampleEnvelope(event.seq, 'x'.repeat((event.seq * 7919) % 5000)).payload)).toBe(
          true,
        )
      }
      for (const line of acknowledged) expect(line).toBe(`${line.split(' ')[1]} ${line.split(' ')[1]}`)
      expect(events.length).toBeGreaterThanOrEqual(Math.max(...acknowledged.map(line => Number(line.split(' ')[0]))))
      return events.length
    })
  }
})

test('two processes that make one journal and append to one session: every number once, each in its own order', async () => {
  const path = join(temporaryHome(), 'journal.sqlite')
  const script = (name: string) => `${IMPORTS}
    const store = await openJournal(path)
    await store.createSession(sampleSession('s')).catch(error => { if (error.code !== 'usage') throw error })
    say('ready')
    await next()
    const all = []
    for (let n = 0; n < 300; n++) {
      all.push(store.append('s', [{ ...sampleEnvelope(n), connectionId: '${name}' }]))
      if (n % 3 === 2) await all.at(-1)
    }
    await Promise.all(all)
    await store.close()
    process.exit()`
  const writers = ['a', 'b'].map(name => startWriter(path, script(name)))
  await Promise.all(writers.map(async writer => await writer.heard()))
  for (const writer of writers) writer.send('go')
  await Promise.all(writers.map(async writer => await writer.ended()))
  await withStore(path, async store => {
    const { events, skipped } = await store.page('s', { limit: 1000 })
    expect(skipped).toEqual([])
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 600 }, (_, index) => index + 1))
    for (const name of ['a', 'b'])
      expect(events.filter(({ connectionId }) => connectionId === name).map(numberOf)).toEqual([...Array(300).keys()])
  })
})

const IN_A_SMALL_DISK = ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=1m tmpfs "$0" && exec "$@"']
const canMount = spawnSync('unshare', [...IN_A_SMALL_DISK, '/mnt', 'true']).status === 0

test.skipIf(!canMount)(
  'a disk that is really full: the append fails, acknowledged events stay, and with room appends continue',
  () => {
    const answer = runInSmallDisk(`${IMPORTS}
    const { rmSync, writeFileSync } = await import('node:fs')
    writeFileSync(folder + '/filler', Buffer.alloc(300_000))
    const store = await openJournal(folder + '/journal.sqlite')
    await store.createSession(sampleSession('s'))
    let acknowledged = 0
    let code
    while (code === undefined)
      await store.append('s', [sampleEnvelope(acknowledged, 'x'.repeat(9000))]).then(() => acknowledged++, error => { code = error.code })
    const { events, skipped } = await store.tail('s', 1000)
    rmSync(folder + '/filler')
    const after = await store.append('s', [sampleEnvelope(acknowledged)])
    tell({ code, isComplete: events.length === acknowledged && skipped.length === 0, gap: after.firstSeq - acknowledged })`)
    expect(answer).toEqual({ code: 'no-space', isComplete: true, gap: 1 })
  },
)

test.skipIf(!canMount)('a disk that may only be read: opening says so', () => {
  const answer = runInSmallDisk(`${IMPORTS}
    const { spawnSync } = await import('node:child_process')
    const path = folder + '/journal.sqlite'
    await (await openJournal(path)).close()
    spawnSync('mount', ['-o', 'remount,ro', folder])
    tell(await openJournal(path).then(() => 'opened', error => ({ code: error.code, path: error.path === path })))`)
  expect(answer).toEqual({ code: 'permission-denied', path: true })
})

function runInSmallDisk(script: string): unknown {
  const prelude = 'const folder = process.argv[1]; const tell = value => process.stdout.write(JSON.stringify(value));'
  const folder = temporaryHome()
  const node = [process.execPath, '--input-type=module', '-e', prelude + script, folder]
  const { stdout, stderr } = spawnSync('unshare', [...IN_A_SMALL_DISK, folder, ...node], { encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

async function restOf(writer: Writer): Promise<string[]> {
  const lines: string[] = []
  for (;;) {
    const line = await writer.heard().catch(() => undefined)
    if (line === undefined) return lines
    // The last may have been cut off with the process.
    if (/^(\d+) \1$/.test(line)) lines.push(line)
  }
}

async function withStore<T>(path: string, use: (store: JournalStore) => Promise<T>): Promise<T> {
  const store = await openJournal(path)
  onTestFinished(async () => await store.close())
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}
