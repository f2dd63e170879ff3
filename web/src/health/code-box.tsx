// Lines of a file in a scrolling box.
import { cleanText } from '../common/clean.ts'

export function CodeBox({ label, text }: { label: string; text: string }) {
  return (
    <figure
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-60 overflow-auto rounded-md border border-line bg-page px-3 py-2"
    >
      <pre className="font-mono text-normal text-xs leading-5">{cleanText(text)}</pre>
    </figure>
  )
}
