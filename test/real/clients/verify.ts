// Tries the clients against a server: node test/real/clients/verify.ts [--client C] [--case TEXT] [--write]
import { parseArgs } from 'node:util'
import type { ClientCase, RealClient } from './client.ts'
import { keepRow, type Row, writeDocument } from './document.ts'
import { CLIENTS } from './index.ts'
import { Stage } from './stage.ts'

const { values } = parseArgs({
  options: {
    client: { type: 'string' },
    case: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
})

if (values.write) writeDocument()
else
  for (const client of CLIENTS) {
    if (values.client !== undefined && values.client !== client.name) continue
    const missing = client.missing()
    if (missing !== undefined) process.stdout.write(`${client.name} is not tried: ${missing}.\n`)
    else await tryAll(client)
  }

async function tryAll(client: RealClient): Promise<void> {
  for (const one of client.cases.filter(({ name }) => name.includes(values.case))) {
    const row = await tryCase(client, one)
    keepRow(row)
    process.stdout.write(`${row.isGood ? 'ok     ' : 'DIFFERS'} ${client.name}: ${row.name}. ${row.seen}\n`)
  }
}

async function tryCase({ name: client, version, prepare }: RealClient, { name, run }: ClientCase): Promise<Row> {
  const day = new Date().toISOString().slice(0, 10)
  const stage = new Stage()
  const end = await prepare?.(stage)
  try {
    await stage.start()
    return { client, version, name, isGood: true, seen: await run(stage), day }
  } catch (error) {
    return { client, version, name, isGood: false, seen: error instanceof Error ? error.message : String(error), day }
  } finally {
    await stage.close()
    await end?.()
  }
}
