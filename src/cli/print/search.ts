// Prints what a search found: a line for each conversation, and below it the best passages.
import type { Context } from '../../catalog/context.ts'
import { formatNumber } from '../../model/format-number.ts'
import { paste, quoteWord } from '../../model/paste.ts'
import type { SearchAnswer, SearchMatch, SearchResult } from '../../search/index.ts'
import { cleanLine } from './clean.ts'
import { fitTo } from './layout.ts'
import { uniqueLength } from './list.ts'
import type { Output } from './output.ts'
import { formatAge, plural, shortenHome } from './words.ts'

const LABEL: Record<SearchMatch['part'], string> = {
  text: '',
  thinking: 'thought',
  'tool-call': 'tool',
  'tool-result': 'output',
  file: 'file',
  notice: 'note',
}

export async function printSearch(output: Output, context: Context, answer: SearchAnswer): Promise<void> {
  const { results, isMore } = answer
  const length = uniqueLength(results.map(({ sessionId }) => sessionId))
  for (const result of results) await output.write(printResult(output, context, result, length))
  const [first] = results
  const facts = results.length === 0 ? ['Nothing found', indexedWords(answer)] : [indexedWords(answer)]
  if (isMore) facts.unshift('There are more matches: use more words, or --limit, --since, --agent')
  const line = facts.join(' · ')
  if (results.length === 0) await output.write(`${line}\n`)
  else if (output.isTerminal || isBehind(answer)) output.remark(output.style('dim', line))
  const match = first?.matches[0]
  if (output.isTerminal && first !== undefined && match !== undefined)
    output.remark(output.style('dim', `Read it: ${showCommand(first, match, length)}`))
}

/** "412 conversations searched; 3 not indexed". */
function indexedWords({ indexed: { sessions, behind } }: SearchAnswer): string {
  const searched = `${plural(sessions, 'conversation')} searched`
  return behind === 0 ? searched : `${searched}, ${formatNumber(behind)} not indexed`
}

function isBehind({ indexed }: SearchAnswer): boolean {
  return indexed.behind > 0
}

function showCommand({ sessionId }: SearchResult, { message }: SearchMatch, length: number): string {
  return paste(`rethread show --at-message=${quoteWord(String(message))}`, sessionId.slice(0, length))
}

function printResult(output: Output, context: Context, result: SearchResult, idLength: number): string {
  const agent = context.agents.find(({ id }) => id === result.agent)?.title ?? result.agent
  const facts = [
    cleanLine(result.sessionId.slice(0, idLength)),
    agent,
    formatAge(Date.now() - Date.parse(result.updatedAt)),
    ...(result.project === null ? [] : [cleanLine(shortenHome(result.project, context.environment.home))]),
    ...(result.isArchived ? ['only in the archive'] : []),
    ...(result.hits > result.matches.length ? [plural(result.hits, 'match', 'matches')] : []),
  ]
  const title = cleanLine(result.title ?? '(no title)')
  const head = `${output.style('bold', fitTo(title, output.columns))}\n  ${output.style('dim', facts.join(' · '))}`
  return `${[head, ...result.matches.map(match => printMatch(output, match, agent))].join('\n')}\n`
}

function printMatch(output: Output, match: SearchMatch, agent: string): string {
  const speaker = match.role === 'user' ? 'You' : match.role === 'assistant' ? agent : ''
  const who = [LABEL[match.part] || speaker || match.role].join(' ')
  return `  ${output.style('dim', `${match.message}`.padStart(5))}  ${output.style('dim', `${who}:`)} ${highlighted(output, match)}`
}

/** Each piece is cleaned by itself, so that no mark moves. */
export function highlighted(output: Output, { snippet, marks }: Pick<SearchMatch, 'snippet' | 'marks'>): string {
  let line = ''
  let at = 0
  for (const [start, end] of marks) {
    line += cleanPiece(snippet.slice(at, start)) + output.style('accent', cleanPiece(snippet.slice(start, end)))
    at = end
  }
  return line + cleanPiece(snippet.slice(at))
}

/** Like `cleanLine`, with the spaces at both ends. */
function cleanPiece(text: string): string {
  const inside = cleanLine(text)
  if (inside === '') return text === '' ? '' : ' '
  return `${/^\s/.test(text) ? ' ' : ''}${inside}${/\s$/.test(text) ? ' ' : ''}`
}
