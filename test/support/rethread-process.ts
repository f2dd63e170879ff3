// A rethread in a process of its own, which can be killed, or kills itself at a given moment. Takes orders as lines of JSON, and says each event as it is reported.
import { createHash } from 'node:crypto'
import { LineCollector } from '../../src/bytes/line-collector.ts'
import { openJournal } from '../../src/journal/store/open.ts'
import type { JournalStore } from '../../src/journal/store/store.ts'
import { makeMockConversations, projectIn, say } from './mock-conversations.ts'
import type { Order, RethreadOptions } from './rethread.ts'

const MAX_ORDER_BYTES = 1024 * 1024

const options = JSON.parse(process.argv[2] ?? '{}') as RethreadOptions
const { folder, flags = [], killAtKind, killAtAppend } = options

const store = killing(await openJournal(`${folder}/journal.sqlite`))
const { conversations } = await makeMockConversations({ folder, flags, store })
conversations.on(({ sessionId, seq, kind, payload }) => {
  const sha = createHash('sha256').update(payload).digest('hex')
  print({ notified: { sessionId, seq, kind, sha } })
  if (kind === killAtKind) process.kill(process.pid, 'SIGKILL')
  return undefined
})
print({ ready: process.pid })
const lines = new LineCollector(MAX_ORDER_BYTES)
for await (const chunk of process.stdin)
  for (const { bytes } of lines.push(chunk)) void obey(JSON.parse(bytes.toString()) as Order)

async function obey({ number, order, id = '', text = '' }: Order): Promise<void> {
  try {
    print({ number, answer: await carryOut(order, id, text) })
  } catch (error) {
    const { code, message } = Object(error)
    print({ number, error: { code, message } })
  }
}

async function carryOut(order: Order['order'], id: string, text: string): Promise<unknown> {
  switch (order) {
    case 'begin':
      return (await conversations.create({ agent: 'mock', cwd: projectIn(folder) })).session.id
    case 'prompt':
      return await conversations.prompt(id, say(text))
    case 'settle':
      return await conversations.settle()
    case 'stop':
      await conversations.stop()
      await store.close()
      return undefined
  }
}

/** Pipes are written at once: what is printed is out before anything else happens. */
function print(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

/** Dies so many steps into the given append: before it is committed, or just behind that. */
function killing(whole: JournalStore): JournalStore {
  if (killAtAppend === undefined) return whole
  let left = killAtAppend.count
  return new Proxy(whole, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        const result: unknown = value.apply(target, args)
        if (name === 'append' && left-- === 0) void dieAfter(killAtAppend.steps)
        return result
      }
    },
  })
}

async function dieAfter(steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) await Promise.resolve()
  process.kill(process.pid, 'SIGKILL')
}
