// Writes the support matrix into README.md from the definitions of the agents. `--check` only reports whether
// it is up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../src/agents/agent.ts'
import { agents } from '../src/agents/index.ts'
import type { Store, Traits } from '../src/agents/store.ts'
import { lineOf } from '../src/model/paste.ts'
import { program } from '../src/model/program.ts'

const README = join(import.meta.dirname, '..', 'README.md')
const BEGIN = '<!-- matrix: npm run matrix -->'
const END = '<!-- /matrix -->'

const WHEN_DAMAGED: Record<Traits['framing'], string> = {
  'json-lines': 'every complete record, also out of torn, spliced and glued lines',
  'json-document': 'up to the last complete message',
  'json-tree': 'every file that is readable',
  text: 'all of it: plain text has no form that could break',
  sqlite: 'every row that decodes; while locked, the last good reading',
}

export function renderMatrix(): string {
  const rows = agents.flatMap(agent => agent.stores.map(store => rowOf(agent, store)))
  return [
    '| agent | sessions kept as | what is read when damaged | repaired | after growth | resume |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function rowOf(agent: Agent, store: Store): string {
  const { framing, appendOnly } = store.traits
  const own = store.repairCommand === undefined ? 'no' : `by \`${store.repairCommand}\``
  const repaired = store.repair === undefined ? own : 'yes'
  return `| ${[agent.title, store.title, WHEN_DAMAGED[framing], repaired, appendOnly ? 'only what was added' : 'read again', resumeOf(agent, store)].join(' | ')} |`
}

function resumeOf(agent: Agent, store: Store): string {
  const session = {
    agent: agent.id,
    sessionId: 'ID',
    filePath: '',
    generation: store.name,
    storeRoot: '',
    updatedAt: 0,
    fileSize: 0,
    identity: '',
  }
  const resume = store.resume(session, {})
  return resume.type === 'command' ? `\`${lineOf(program(resume.command, resume.words))}\`` : 'not by the agent'
}

export function withMatrix(readme: string): string {
  const [before, rest] = split(readme, BEGIN)
  const [, after] = split(rest, END)
  return `${before}${BEGIN}\n${renderMatrix()}\n${END}${after}`
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  if (at === -1) throw new Error(`README.md has no ${mark}`)
  return [text.slice(0, at), text.slice(at + mark.length)]
}

if (process.argv[1] === import.meta.filename) {
  const readme = readFileSync(README, 'utf8')
  const wanted = withMatrix(readme)
  if (!process.argv.includes('--check')) writeFileSync(README, wanted)
  else if (wanted !== readme) {
    process.stderr.write('The support matrix in README.md is out of date. Run: npm run matrix\n')
    process.exitCode = 1
  }
}
