// Replacements for Markdown elements whose default would load something, open a link unsafely, or not be
// reachable by keyboard.
import type { ReactNode } from 'react'
import type { Components } from 'react-markdown'
import { IconImage } from '../../common/icons.tsx'
import { CopyButton } from './copy-button.tsx'

export const MARKDOWN_ELEMENTS: Components = {
  a: ({ href, children }) =>
    href === undefined || href === '' ? (
      <span>{children}</span>
    ) : (
      <a href={href} title={href} target="_blank" rel="noreferrer noopener">
        {children}
      </a>
    ),
  img: ({ alt }) => <ImagePlaceholder alt={alt ?? ''} />,
  input: ({ checked }) => (
    <span role="img" aria-label={checked ? 'done' : 'to do'} className="mr-1.5 text-quiet">
      {checked ? '☑' : '☐'}
    </span>
  ),
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <figure aria-label="Table" tabIndex={0} className="my-2 max-w-full overflow-x-auto">
      <table>{children}</table>
    </figure>
  ),
  // The heading of the message has the third level.
  h1: ({ children }) => <h4 className="md-h1">{children}</h4>,
  h2: ({ children }) => <h5 className="md-h2">{children}</h5>,
  h3: ({ children }) => <h6 className="md-h3">{children}</h6>,
  h4: ({ children }) => <h6>{children}</h6>,
  h5: ({ children }) => <h6>{children}</h6>,
}

/** Nothing is loaded from an address in a message. */
export function ImagePlaceholder({ alt }: { alt: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 rounded-md border border-line border-dashed px-2 py-0.5 text-quiet text-sm">
      <IconImage size={14} />
      image, not loaded{alt === '' ? '' : `: ${alt}`}
    </span>
  )
}

function CodeBlock({ children }: { children: ReactNode }) {
  return (
    <div className="group/code relative my-2">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className="max-h-[70vh] overflow-auto rounded-md border border-line bg-sunken p-3">
        {children}
      </pre>
      <CopyButton
        label="Copy code"
        textOf={button => button.parentElement?.querySelector('pre')?.textContent ?? ''}
        className="absolute top-1.5 right-1.5 border border-line bg-page opacity-0 focus-visible:opacity-100 group-hover/code:opacity-100"
      />
    </div>
  )
}
