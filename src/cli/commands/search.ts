// rethread search

import { resolve } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import type { SearchQuery, SearchRole } from '../../search/index.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { textOption } from '../command.ts'
import { EXIT } from '../exit-status.ts'
import { parseSince } from '../print/words.ts'

const ROLES: readonly SearchRole[] = ['user', 'assistant', 'tool']
const MAX_LIMIT = 200

export const searchCommand: CommandDefinition = {
  name: 'search',
  arguments: '[words...]',
  takesMinusWords: true,
  summary: 'Search in everything that was said, in all conversations',
  options: [
    { flags: '--agent <id>', description: 'Search only sessions of this agent' },
    { flags: '--project <dir>', description: 'Search only conversations in this folder or below it' },
    { flags: '--since <when>', description: 'Search only messages since: 3d, 12h, 2w, or a date' },
    { flags: '--until <when>', description: 'Search only messages until: 3d, 12h, 2w, or a date' },
    { flags: '--role <role>', description: 'Search only what this side wrote: user, assistant or tool' },
    { flags: '--in <session>', description: 'Search only in this conversation' },
    { flags: '--file <path>', description: 'Search only conversations that name this file' },
    { flags: '--limit <n>', description: 'Show at most this many conversations (default 20)' },
  ],
  help: `All words must be found. "foo bar" finds a phrase, "foo(bar" exactly these characters, -word leaves out
what has the word, and pre* finds words that begin with pre. Identifiers are found whole and by their parts:
user finds getUserName.

The first run indexes every conversation; after that only what changed is read. The index is derived and
may be deleted. Of tool calls and tool output, the first 12,000 and the last 4,000 characters are indexed.

Examples:
  rethread search rounding error cents
  rethread search '"cannot find module"' --since 2w
  rethread search --role user --project . deploy
  rethread search 'getUser*' -test`,
  async run(invocation) {
    const { search } = await import('../../search/index.ts')
    const { makeProgress } = await import('../print/progress.ts')
    const { limitGarbage } = await import('../garbage.ts')
    const context = await invocation.context()
    const query = queryOf(invocation)
    if (query.agent !== undefined) {
      const { agentById } = await import('../../catalog/context.ts')
      agentById(context, query.agent)
    }
    const progress = makeProgress(process.stderr, 'Indexing', 'sessions')
    const failures: RethreadError[] = []
    const stop = limitGarbage()
    const answer = await search(query, context, {
      onProgress: ({ done, total }) => progress.update(done, total),
      onFailure: failure => failures.push(failure),
    }).finally(stop)
    progress.clear()
    const { printSearch } = await import('../print/search.ts')
    const { results, indexed, isMore } = answer
    if (invocation.isJson) {
      const { cleanJson } = await import('../print/clean.ts')
      await invocation.output.write(`${cleanJson({ results, indexed, isMore }, 2)}\n`)
    } else await printSearch(invocation.output, context, answer)
    const { cleanLine } = await import('../print/clean.ts')
    for (const { message, hint } of failures.slice(0, 1))
      process.stderr.write(`${cleanLine(message)}\n${cleanLine(hint)}\n`)
    return EXIT.fine
  },
}

function queryOf(invocation: Invocation): SearchQuery {
  const { args } = invocation
  // An argument with spaces among others was quoted in the shell: it is a phrase.
  const text = args.map(word => (args.length > 1 && /^[^"]*\s[^"]*$/.test(word) ? `"${word}"` : word)).join(' ')
  const file = textOption(invocation, 'file')
  if (text.trim() === '' && file === undefined)
    throw usage('Specify what to search for.', 'rethread search rounding error')
  const project = textOption(invocation, 'project')
  const given = {
    agent: textOption(invocation, 'agent'),
    project: project === undefined ? undefined : resolve(project),
    since: time(invocation, 'since'),
    until: time(invocation, 'until'),
    role: role(textOption(invocation, 'role')),
    in: textOption(invocation, 'in'),
    file,
    limit: limit(textOption(invocation, 'limit')),
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { text: text.slice(0, MAX_TEXT), ...(Object.fromEntries(set) as Partial<SearchQuery>) }
}

/** Longer texts are pasted by accident; their beginning is searched. */
const MAX_TEXT = 1000

function time(invocation: Invocation, option: 'since' | 'until'): number | undefined {
  const text = textOption(invocation, option)
  if (text === undefined) return undefined
  const parsed = parseSince(text, Date.now())
  if (parsed !== undefined) return parsed
  throw usage(`"${text}" is not a valid value for --${option}.`, `rethread search deploy --${option} 3d`)
}

function role(text: string | undefined): SearchRole | undefined {
  if (text === undefined) return undefined
  const found = ROLES.find(each => each === text)
  if (found !== undefined) return found
  throw usage(`--role needs one of ${ROLES.join(', ')}, not "${text}".`, 'rethread search deploy --role user')
}

function limit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d*$/.test(text)) return Math.min(MAX_LIMIT, Number(text))
  throw usage(`--limit needs a whole number from 1 on, not "${text}".`, 'rethread search deploy --limit 5')
}

function usage(text: string, example: string): RethreadError {
  return new RethreadError({ code: 'usage', text, hint: `For example: ${example}` })
}
