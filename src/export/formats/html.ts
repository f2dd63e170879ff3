// HTML: one file that loads nothing and runs nothing. Its policy
// allows its own style and pictures inside the file.
import { createHash } from 'node:crypto'
import { cleanLine, cleanText } from '../../model/clean.ts'
import { formatNumber } from '../../model/format-number.ts'
import { imageIn } from '../../model/image.ts'
import type { Message, Part } from '../../model/message.ts'
import type { ExportFormat } from '../format.ts'
import { describeRedacted, NOT_PERFECT } from '../redact.ts'
import { escapeHtml, fileWords, foldedOf, headLines, speakerOf } from './parts.ts'

const STYLE = `:root{color-scheme:light dark;--line:#d8dade;--quiet:#5c626b;--sunken:#f4f5f6;--warn:#8a5a00}
@media(prefers-color-scheme:dark){:root{--line:#3a3f47;--quiet:#a2a8b2;--sunken:#1d2025;--warn:#e0b050}}
body{font:15px/1.55 system-ui,sans-serif;max-width:760px;margin:0 auto;padding:24px 16px 64px}
h1{font-size:22px;line-height:1.3;overflow-wrap:anywhere}ul.facts{list-style:none;padding:0;color:var(--quiet);font-size:13px}
article{border-top:1px solid var(--line);padding:12px 0}article:target{outline:2px solid #3b6fd4;outline-offset:6px}
h2{font-size:14px;margin:0 0 6px}h2 a{color:inherit;text-decoration:none}h2 small{font-weight:400;color:var(--quiet)}
p{white-space:pre-wrap;overflow-wrap:anywhere;margin:0 0 8px}.note{color:var(--quiet);font-size:13px}
pre{background:var(--sunken);border-radius:6px;padding:10px;overflow:auto;font:13px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;margin:4px 0 8px}
summary{cursor:pointer;font:13px/1.6 ui-monospace,monospace;color:var(--quiet);overflow-wrap:anywhere}
img{max-width:100%;border-radius:6px}.missing{color:var(--warn)}`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; base-uri 'none'; form-action 'none'`

export const html: ExportFormat = {
  extension: 'html',
  mime: 'text/html',
  head(head) {
    const title = escapeHtml(cleanLine(head.title ?? '') || 'Untitled conversation')
    const redacted = head.isRedacted ? [`Redacted; the end of this page says what. ${NOT_PERFECT}`] : []
    const partial = head.isPartial
      ? '<p class="missing">Not everything could be read; the end says what is missing.</p>'
      : ''
    const facts = [...headLines(head), ...redacted].map(fact => `<li>${escapeHtml(fact)}</li>`).join('')
    return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(POLICY)}">
<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style></head><body>
<header><h1>${title}</h1>${partial}<ul class="facts">${facts}</ul></header><main>
`
  },
  message(message, number, head) {
    const facts = [message.time, message.model].filter(fact => fact != null).map(cleanLine)
    const small = facts.length === 0 ? '' : ` <small>${escapeHtml(facts.join(' · '))}</small>`
    const speaker = escapeHtml(cleanLine(speakerOf(message, head)))
    return `<article id="m${number}"><h2><a href="#m${number}">${speaker}</a>${small}</h2>\n${partsOf(message)}</article>\n`
  },
  end(end) {
    const missing = end.missing.map(line => `<li>${escapeHtml(cleanLine(line))}</li>`)
    const redacted = end.redacted === undefined ? '' : ` Redacted: ${describeRedacted(end.redacted)}. ${NOT_PERFECT}`
    const lost =
      missing.length === 0 ? '' : `<p class="missing">Not everything could be read:</p><ul>${missing.join('')}</ul>`
    const words = `${formatNumber(end.messages)} messages. Exported by rethread.${redacted}`
    return `</main><footer>${lost}<p class="note">${escapeHtml(words)}</p></footer></body></html>\n`
  },
}

function partsOf({ parts }: Message): string {
  return parts.length === 0 ? '<p class="note">Empty message</p>\n' : parts.map(partOf).join('')
}

function partOf(part: Part): string {
  const folded = foldedOf(part)
  if (folded !== undefined)
    return `<details><summary>${escapeHtml(cleanLine(folded.summary))}</summary><pre>${escapeHtml(cleanText(folded.text))}</pre></details>\n`
  if (part.type === 'file') return fileOf(part)
  if (part.type === 'notice') return `<p class="note">${escapeHtml(cleanText(part.text))}</p>\n`
  return part.type === 'text' ? textOf(cleanText(part.text)) : ''
}

/** The bytes say what the picture is, and nothing else of it is written. */
function fileOf(part: Part & { type: 'file' }): string {
  const words = escapeHtml(fileWords(part))
  const image = part.data === undefined ? undefined : imageIn(part.data)
  const picture = image === undefined ? '' : `<img alt="${words}" src="data:${image.mime};base64,${image.data}">`
  return `<p class="note">File: ${words}</p>${picture}\n`
}

const FENCED = /^ {0,3}(`{3,}|~{3,})[^`\n]*\n([\s\S]*?)(?:^ {0,3}\1[`~]*[ \t]*$|(?![\s\S]))/gm

/** Plain text, with fenced code in boxes. */
function textOf(text: string): string {
  let out = ''
  let after = 0
  const say = (plain: string): void => {
    if (plain.trim() !== '') out += `<p>${escapeHtml(plain.replace(/^\n+|\s+$/g, ''))}</p>\n`
  }
  for (const { 0: block, 2: code = '', index } of text.matchAll(FENCED)) {
    say(text.slice(after, index))
    out += `<pre>${escapeHtml(code.replace(/\n$/, ''))}</pre>\n`
    after = index + block.length
  }
  say(text.slice(after))
  return out
}
