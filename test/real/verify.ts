// Runs the proof with the real agents and keeps what came of it, case by case: node test/real/verify.ts [--agent A] [--version V] [--damage D] [--seeds N] [--mixtures N] [--write]
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeDocument } from './document.ts'
import { REAL_AGENTS } from './index.ts'
import { lineOf } from './judge.ts'
import { startModelServer } from './model-server.ts'
import { openAgent } from './real-agent.ts'
import { Recorder } from './record.ts'
import { addRow, hasRow } from './rows.ts'
import { healthyLoads, kindOf, mix, verifyCase } from './verify-case.ts'

const { values } = parseArgs({
  options: {
    agent: { type: 'string' },
    version: { type: 'string' },
    damage: { type: 'string', multiple: true },
    seeds: { type: 'string', default: '1' },
    mixtures: { type: 'string', default: '0' },
    again: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const agents = process.env['RETHREAD_TEST_REAL_AGENTS']
if (agents === undefined && !values.write)
  throw new Error('RETHREAD_TEST_REAL_AGENTS has to name the folder with the agents: see README.md')
/** Kept from one run to the next, so that a single case can be run again without a new recording. */
const folder = join(tmpdir(), 'rethread-real-kept')

if (agents !== undefined && !values.write) await verify(agents)
if (values.write) writeDocument(folder)

async function verify(installed: string): Promise<void> {
  const project = join(folder, 'shop')
  mkdirSync(project, { recursive: true })
  const server = await startModelServer()
  try {
    const recorder = new Recorder(folder, server)
    for (const commands of REAL_AGENTS) {
      if (values.agent !== undefined && values.agent !== commands.id) continue
      for (const version of commands.versions) {
        if (values.version !== undefined && values.version !== version) continue
        await verifyVersion(recorder, openAgent(commands, version, { agents: installed, project, server }))
      }
    }
  } finally {
    await server.stop()
  }
}

async function verifyVersion(recorder: Recorder, agent: ReturnType<typeof openAgent>): Promise<void> {
  const recording = await recorder.record(agent)
  const plain = await healthyLoads(recorder, recording)
  const { damages } = await kindOf(recording)
  const single = damages.filter(({ id }) => values.damage?.includes(id) ?? true)
  print(`${agent.id} ${agent.version}: healthy ${recording.healthy.history}, predicted ${plain}`)
  const cases = [
    ...numbers(Number(values.seeds)).flatMap(seed => single.map(damage => ({ damages: [damage], seed }))),
    ...numbers(Number(values.mixtures)).map(seed => ({ damages: mix(damages, seed), seed })),
  ]
  for (const one of cases) {
    const name = { agent: agent.id, version: agent.version, damages: one.damages.map(({ id }) => id), seed: one.seed }
    if (!values.again && hasRow(folder, name)) continue
    const row = await verifyCase(recorder, recording, one, plain)
    if (row === undefined) print(`${name.damages.join(' + ')} ${one.seed}: no place for it`)
    else {
      addRow(folder, row)
      print(lineOf(row))
    }
  }
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
