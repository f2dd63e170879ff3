// Writes the support matrix into README.md, from the agents themselves. `--check` only says whether it is up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent, Traits } from '../src/agents/agent.ts'
import { agents } from '../src/agents/index.ts'
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
  const rows = agents.flatMap(agent => Object.keys(agent.generations).map(name => rowOf(agent, name)))
  return [
    '| agent | sessions kept as | what is read when damaged | repaired | after growth | resume |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function rowOf(agent: Agent, name: string): string {
  const generation = agent.generations[name]
  if (generation === undefined) throw new Error(`${agent.id} has no generation ${name}`)
  const { framing, appendOnly } = generation.traits
  const own = generation.mendedBy === undefined ? 'no' : `by \`${generation.mendedBy}\``
  const mended = generation.mend === undefined ? own : 'yes'
  return `| ${[agent.title, generation.title, WHEN_DAMAGED[framing], mended, appendOnly ? 'only what was added' : 'read again', resumeOf(agent, name)].join(' | ')} |`
}

function resumeOf(agent: Agent, generation: string): string {
  const session = {
    agent: agent.id,
    sessionId: 'ID',
    filePath: '',
    generation,
    storeRoot: '',
    updatedAt: 0,
    fileSize: 0,
    identity: '',
  }
  const resume = agent.resume(session, {})
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
