import fc from 'fast-check'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { describe, expect, test } from 'vitest'
import { inFull } from '../../test/support/full.ts'
import type { Message, Part } from '../model/message.ts'
import type { ExportHead } from './format.ts'
import { html } from './formats/html.ts'
import { markdown } from './formats/markdown.ts'

const HEAD: ExportHead = {
  agent: 'a',
  agentTitle: 'Agent <b>',
  sessionId: 's',
  title: '<script>alert(1)</script> ![x](http://127.0.0.1/x) # `title',
  project: '/p/*x*',
  updatedAt: '2026-11-16T00:00:00.000Z',
  isRedacted: false,
  isPartial: false,
}

function message(...parts: Part[]): Message {
  return { id: '1', role: 'assistant', time: null, parts, at: { file: 'f', start: 0, end: 1 } }
}

const rendered = (source: string): string =>
  micromark(source, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] })

/** The names of all elements, and whether anything is loaded or linked. */
function tagsOf(page: string): Set<string> {
  return new Set([...page.matchAll(/<\/?([a-zA-Z][^\s/>]*)/g)].map(([, name = '']) => name.toLowerCase()))
}

/** A viewer may make a link of an address that is written out; no other link exists. */
function expectPlainLinks(page: string): void {
  for (const [, href = '', text = ''] of page.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g))
    expect(encodeURI(unescapeHtml(text))).toBe(encodeURI(decodeURI(unescapeHtml(href))))
}

const unescapeHtml = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

const HOSTILE = [
  '<script>alert(1)</script>',
  '`<img src=http://127.0.0.1/a>`` <img src=x>',
  '- ```\n```\n<img src=x onerror=y>\n```',
  '> ```\n<script>x</script>',
  '| a | b |\n|---|---|\n| `x|<img src=x>` | y |',
  '\\![a](http://127.0.0.1/b) ![c](http://127.0.0.1/d)',
  '\\`<b>` \\\\`<i>`',
  '[x](javascript:alert(1)) [y]: http://127.0.0.1',
  '````\n```\n</details><script>\n````\n<script>',
  '~~~\n<b>\n~~~~\n<i>',
  '</blockquote></details>\n\n# You\n\n&lt;b&gt;',
  '    <b>\n\t<i>\n\n<!-- x --> <?php ?> <![CDATA[x]]>',
]

describe('Markdown', () => {
  test.each(HOSTILE)('nothing in %j becomes HTML, a link or a picture, and nothing leaves its quote', text => {
    const page = rendered(markdown.message(message({ type: 'text', text }), 1, HEAD))
    for (const tag of ['script', 'img', 'b', 'i']) expect(tagsOf(page)).not.toContain(tag)
    expect(page.trimEnd()).toMatch(/^<h2>1\. Agent &lt;b&gt;<\/h2>\n<blockquote>[\s\S]*<\/blockquote>$/)
    expect(page.match(/<\/blockquote>\n<[^/]/)).toBeNull()
    expectPlainLinks(page)
  })

  test('no combination of marks becomes HTML, a link or a picture', () => {
    const marks = [
      '`',
      '``',
      '```',
      '~~~',
      '\n',
      '\n\n',
      '|',
      '|-|-|',
      '<img src=x>',
      '<b>',
      '[',
      '](u)',
      '!',
      '\\',
      '> ',
      '- ',
    ]
    const texts = fc.array(fc.constantFrom(...marks, 'a', ' ', '    ', '&lt;', '#', '1. '), { maxLength: 14 })
    fc.assert(
      fc.property(texts, words => {
        const page = rendered(markdown.message(message({ type: 'text', text: words.join('') }), 1, HEAD))
        const tags = tagsOf(page)
        return !['img', 'b', 'a', 'script'].some(tag => tags.has(tag))
      }),
      { numRuns: inFull(2000, 400) },
    )
  })

  test('a tool call is folded, and its fence is longer than any run of backticks in it', () => {
    const output = 'x\n```\n`````\n</details><script>y</script>'
    const source = markdown.message(
      message(
        { type: 'tool-call', id: '1', name: 'Bash</summary><b>', input: { command: 'echo `x`\n# y' } },
        { type: 'tool-result', id: '1', output, isError: true },
      ),
      1,
      HEAD,
    )
    const page = rendered(source)
    expect(page.match(/<details>/g)).toHaveLength(2)
    expect(page).toContain('<summary>Tool: Bash&lt;/summary&gt;&lt;b&gt; echo `x` # y</summary>')
    expect(page).toContain('&lt;/details&gt;&lt;script&gt;y&lt;/script&gt;')
    expect(tagsOf(page)).not.toContain('script')
  })

  test('code and emphasis of an answer stay what they are', () => {
    const text = 'Use `Array<string>` and *this*:\n\n```ts\nconst a: Map<string, b> = x\n```\n\n- one\n- two'
    const page = rendered(markdown.message(message({ type: 'text', text }), 1, HEAD))
    expect(page).toContain('<code>Array&lt;string&gt;</code>')
    expect(page).toContain('<em>this</em>')
    expect(page).toContain('<pre><code class="language-ts">const a: Map&lt;string, b&gt; = x\n</code></pre>')
    expect(page).toContain('<li>one</li>')
  })

  test('a title is plain text', () => {
    const page = rendered(markdown.head(HEAD))
    for (const tag of ['script', 'img', 'em']) expect(tagsOf(page)).not.toContain(tag)
    expectPlainLinks(page)
    expect(page).toContain('<h1>&lt;script&gt;alert(1)')
  })
})

describe('HTML', () => {
  test.each(HOSTILE)('%j is shown as text', text => {
    const page = html.message(message({ type: 'text', text }), 1, HEAD)
    expect([...tagsOf(page)].sort().filter(tag => !['a', 'article', 'h2', 'p', 'pre'].includes(tag))).toEqual([])
    expect(page.match(/href="[^#]/)).toBeNull()
  })

  test('the policy of the page forbids scripts and everything from elsewhere', () => {
    const page = html.head(HEAD)
    expect(page).toContain('default-src &#39;none&#39;; style-src &#39;sha256-')
    expect(tagsOf(page)).not.toContain('script')
    expect(page).not.toMatch(/https?:\/\/(?!127)/)
  })

  test('a picture is inside the file only if its bytes are those of a picture', () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64')
    const file = { type: 'file', name: '"><script>', mime: 'text/html', source: 'inline', reference: null } as const
    const page = html.message(message({ ...file, data: png }, { ...file, data: '"><script>x' }), 1, HEAD)
    expect(page.match(/<img [^>]*src="data:image\/png;base64,[A-Za-z0-9+/=]+">/g)).toHaveLength(1)
    expect(tagsOf(page)).not.toContain('script')
  })
})
