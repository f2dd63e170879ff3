// Shared code names no agent: what is special about one is said in its folder, or asked of it through the interface.
import { agentFolderOf, LAYERS } from './layers.ts'
import type { Parsed, Word } from './source.ts'

export interface NamedAgent {
  id: string
  title: string
}

/** Ids that are words of their own: a variable may be called so, a string that is nothing else names the agent. */
const ORDINARY = new Set(['amp', 'cursor', 'warp', 'jp'])
/** The parts of ids that say nothing by themselves. */
const GENERIC = new Set(['code', 'cli', 'ide'])
/** Where the name of a layer of ours is also the name of an agent: the API that is compatible with it. */
const NAMED_BY_LAYER = new Set(['server', 'cli', 'journal'])

/** An agent may run a model that bears the name of another agent. */
const MODELS = /\bclaude-(?:opus|sonnet|haiku)-[\d.-]+/g
/** A language tag ends in a country, not in an agent. */
const LANGUAGES = /\b[a-z]{2}-[A-Z]{2}\b/g

export function checkAgentNames(file: Parsed, agents: readonly NamedAgent[]): string[] {
  if (file.path === 'src/agents/index.ts') return []
  const mention = mentionOf(agents)
  const words = file.words.filter(({ text }) => mention.test(text))
  return agents.filter(agent => !mayName(file.path, agent)).flatMap(agent => findNames({ ...file, words }, agent))
}

/** The letters of an agent's name, whatever separates them: few words have them, and only these are looked at. */
function mentionOf(agents: readonly NamedAgent[]): RegExp {
  const names = agents.flatMap(({ id, title }) => [title, id, ...spellingsOf(id)])
  const letters = names.map(name =>
    name
      .replaceAll(/[^a-z0-9]/gi, '')
      .split('')
      .join('[^a-z0-9]*'),
  )
  return new RegExp(letters.join('|'), 'i')
}

function mayName(path: string, agent: NamedAgent): boolean {
  if (agentFolderOf(path) === agent.id) return true
  // A command that starts an agent bears its name.
  if (path === `src/cli/commands/${agent.id}.ts`) return true
  if (!(agent.id in LAYERS)) return false
  const layer = /^src\/([^/]+)\//.exec(path)?.[1] ?? ''
  return layer === agent.id || NAMED_BY_LAYER.has(layer)
}

function findNames(file: Parsed, agent: NamedAgent): string[] {
  const imported = file.imports
    .filter(found => agentFolderOf(found.from) === agent.id)
    .map(found => ({ line: found.line, text: found.from }))
  const isNamed = ORDINARY.has(agent.id) ? namesOrdinary : namesPlainly
  const isOfAgent = agentFolderOf(file.path) !== undefined
  const said = file.words.filter(({ kind, text }) =>
    isNamed({ kind, text: isOfAgent ? text.replace(MODELS, '') : text }, agent),
  )
  return [...imported, ...said].map(
    ({ line, text }) => `${file.path}:${line}: names ${agent.title} (${text.trim().slice(0, 60)})`,
  )
}

type Said = Pick<Word, 'kind' | 'text'>

/** In any spelling: claude-code, claudeCode, CLAUDE_CODE, "Claude Code", and the part of it that is a name. */
function namesPlainly(word: Said, agent: NamedAgent): boolean {
  const spellings = spellingsOf(agent.id)
  const words = splitWords(word.text)
  return words.some((_, from) => [1, 2, 3].some(count => spellings.has(words.slice(from, from + count).join(''))))
}

function spellingsOf(id: string): Set<string> {
  const parts = id.split('-')
  return new Set([parts.join(''), ...parts.filter(part => parts.length > 1 && !GENERIC.has(part))])
}

function namesOrdinary(word: Said, agent: NamedAgent): boolean {
  if (word.kind === 'identifier') return false
  if (new RegExp(`\\b${agent.title}\\b`).test(word.text.replace(LANGUAGES, ''))) return true
  // A variable of the environment. An identifier in capitals is ours.
  if (new RegExp(`(?<![A-Z0-9_])${agent.id.toUpperCase()}_[A-Z]`).test(word.text)) return true
  if (word.kind === 'comment') return new RegExp(`['"\`]${agent.id}['"\`]`).test(word.text)
  // 'cursor' as a value, and '.cursor' or 'share/amp' as a folder.
  return new RegExp(`^${agent.id}$|(^|[/\\\\])\\.?${agent.id}([/\\\\]|$)`).test(word.text)
}

/** "readClaudeCode", "claude-code" and "CLAUDE_CODE" all have the words claude and code in them. */
function splitWords(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
}
