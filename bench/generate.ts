// node bench/generate.ts --home DIR --seed 1 --sessions 200 --median 50k --damage 0.05 [--agent codex] [--generation document] [--large 200M]
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { MadeSample } from '../src/agents/samples/sample.ts'
import { generateLibrary } from './generator/index.ts'
import { formatBytes, parseBytes } from './sizes.ts'

const { values } = parseArgs({
  options: {
    home: { type: 'string' },
    seed: { type: 'string', default: '1' },
    sessions: { type: 'string', default: '200' },
    median: { type: 'string', default: '50k' },
    damage: { type: 'string', default: '0' },
    agent: { type: 'string', multiple: true },
    generation: { type: 'string', multiple: true },
    large: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})

const made = generateLibrary({
  home: emptyHome(values.home),
  seed: Number(values.seed),
  sessionsPerAgent: Number(values.sessions),
  medianBytes: parseBytes(values.median),
  damageShare: Number(values.damage),
  ...(values.agent === undefined ? {} : { agents: values.agent }),
  ...(values.generation === undefined ? {} : { generations: values.generation }),
  ...(values.large === undefined ? {} : { largeBytes: parseBytes(values.large) }),
})
process.stdout.write(values.json ? `${JSON.stringify(made, null, 2)}\n` : describe(made))

/** Sessions are never put among real ones. */
function emptyHome(home: string | undefined): string {
  if (home === undefined) throw new Error('Say where: --home DIR (an empty folder)')
  const path = resolve(home)
  if (path === homedir()) throw new Error('This is your own home. Name an empty folder: --home /tmp/sessions')
  if (existsSync(path) && readdirSync(path).length > 0) throw new Error(`${path} is not empty.`)
  return path
}

function describe(sessions: MadeSample[]): string {
  const stores = Object.entries(Object.groupBy(sessions, session => `${session.agent} ${session.store}`))
  return stores
    .map(([store, own = []]) => {
      const bytes = own.reduce((sum, session) => sum + session.bytes, 0)
      const messages = own.reduce((sum, session) => sum + session.messages, 0)
      const damaged = own.filter(session => session.damages.length > 0).length
      return `${store}: ${own.length} sessions, ${formatBytes(bytes)}, ${messages} messages, ${damaged} damaged\n`
    })
    .join('')
}
