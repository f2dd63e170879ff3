// Markdown. What was said stays Markdown inside a quote, but can add no HTML, no picture, no link and no
// heading outside its quote. Everything else is in fences that are longer than any run of backticks in them.
import { cleanLine, cleanText } from '../../model/clean.ts'
import { formatNumber } from '../../model/format-number.ts'
import type { Message, Part } from '../../model/message.ts'
import type { ExportFormat } from '../format.ts'
import { describeRedacted, NOT_PERFECT } from '../redact.ts'
import { escapeHtml, fileWords, foldedOf, headLines, speakerOf } from './parts.ts'

export const markdown: ExportFormat = {
  extension: 'md',
  mime: 'text/markdown',
  head(head) {
    const redacted = head.isRedacted ? [`Redacted; the end of this file says what. ${NOT_PERFECT}`] : []
    const facts = [...headLines(head), ...redacted].map(fact => `- ${escapeInline(fact)}\n`).join('')
    const warning = head.isPartial ? '\n**Not everything could be read; the end says what is missing.**\n' : ''
    return `# ${escapeInline(cleanLine(head.title ?? '') || 'Untitled conversation')}\n${warning}\n${facts}`
  },
  message(message, number, head) {
    const facts = [message.time, message.model].filter(fact => fact != null).map(fact => escapeInline(cleanLine(fact)))
    const heading = `\n## ${number}. ${escapeInline(cleanLine(speakerOf(message, head)))}\n`
    const time = facts.length === 0 ? '' : `\n*${facts.join(' · ')}*\n`
    return heading + time + partsOf(message)
  },
  end(end) {
    const lost = end.missing.map(line => `- ${escapeInline(cleanLine(line))}\n`).join('')
    const redacted = end.redacted === undefined ? '' : `Redacted: ${describeRedacted(end.redacted)}. ${NOT_PERFECT}\n`
    return [
      '\n---\n',
      ...(lost === '' ? [] : [`\n**Not everything could be read:**\n\n${lost}`]),
      ...(redacted === '' ? [] : [`\n${escapeInline(redacted)}`]),
      `\n${formatNumber(end.messages)} messages. Exported by rethread.\n`,
    ].join('')
  },
}

function partsOf({ parts }: Message): string {
  if (parts.length === 0) return '\n*Empty message*\n'
  return parts.map(part => `\n${partOf(part)}`).join('')
}

function partOf(part: Part): string {
  const folded = foldedOf(part)
  if (folded !== undefined) {
    const fence = fenced(cleanText(folded.text), folded.isJson ? 'json' : 'text')
    return `<details><summary>${escapeHtml(cleanLine(folded.summary))}</summary>\n\n${fence}\n</details>\n`
  }
  if (part.type === 'file') return `*File: ${escapeInline(fileWords(part))}*\n`
  if (part.type === 'text' || part.type === 'notice') return `${quoted(cleanText(part.text))}\n`
  return ''
}

function fenced(text: string, language: string): string {
  let longest = 2
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.replace(/\n+$/, '')}\n${fence}\n`
}

/** Every line begins with >, so that nothing in it ends the quote. */
function quoted(text: string): string {
  return safeMarkdown(text.replace(/\s+$/, ''))
    .split('\n')
    .map(line => (line === '' ? '>' : `> ${line}`))
    .join('\n')
}

const FENCE = /^\s*(`{3,}|~{3,})([^`]*)$/

/** Code stays code: fences are written again around it, and code spans within one line are kept. */
function safeMarkdown(text: string): string {
  const out: string[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const [, marks, info = ''] = FENCE.exec(line) ?? []
    if (marks === undefined) {
      out.push(safeLine(line))
      continue
    }
    const end = new RegExp(`^\\s*${marks.charAt(0)}{${marks.length},}\\s*$`)
    let close = at + 1
    while (close < lines.length && !end.test(lines[close] ?? '')) close++
    const code = lines.slice(at + 1, close)
    const language = /^\s*([A-Za-z0-9+#_.-]{1,30})/.exec(info)?.[1] ?? ''
    out.push(...fenced(code.join('\n'), language).trimEnd().split('\n'))
    at = close
  }
  return out.join('\n')
}

function safeLine(line: string): string {
  let safe = ''
  let after = 0
  for (const [start, end] of codeSpans(line)) {
    const span = line.slice(start, end)
    // A cell of a table ends at |, also inside code.
    if (start < after || span.includes('|')) continue
    safe += escapeInline(line.slice(after, start), true) + span
    after = end
  }
  return safe + escapeInline(line.slice(after), true)
}

/** From each run of backticks to the next one of the same length. */
function codeSpans(line: string): [start: number, end: number][] {
  const next = new Map<number, number>()
  const spans: [number, number][] = []
  const runs = [...line.matchAll(/`+/g)].map(({ 0: run, index }): [number, number] => [index, run.length])
  for (const [start, length] of runs.reverse()) {
    const close = next.get(length)
    if (close !== undefined) spans.push([start, close + length])
    next.set(length, start)
  }
  return spans.reverse()
}

/** No HTML, link, picture, code, fence or entity begins in it. With `isRich`, emphasis and lists stay. */
function escapeInline(text: string, isRich = false): string {
  const safe = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/[\\[\]`]/g, '\\$&')
    .replace(/~{3,}/g, run => run.replaceAll('~', '\\~'))
  return isRich ? safe : safe.replace(/[*_#|~>]/g, '\\$&')
}
