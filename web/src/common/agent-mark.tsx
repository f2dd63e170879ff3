// The small mark of an agent: letters in a shape, in its own hue. Hidden from screen readers unless it has a
// title.
import { agentColour, agentLetters, agentShape } from './agent-colour.ts'

interface Props {
  agent: string
  /** For a mark without the agent's name beside it. Otherwise a screen reader would read the name twice. */
  title?: string | undefined
  size?: number
}

export function AgentMark({ agent, title, size = 18 }: Props) {
  return (
    <span title={title} className="inline-flex shrink-0" style={{ color: agentColour(agent) }}>
      <svg viewBox="0 0 20 20" width={size} height={size} aria-hidden="true" focusable="false">
        <Shape of={agentShape(agent)} />
        <text
          x="10"
          y="10.5"
          fill="currentColor"
          fontSize="8.5"
          fontWeight="700"
          textAnchor="middle"
          dominantBaseline="central"
        >
          {agentLetters(title ?? agent)}
        </text>
      </svg>
      {title !== undefined && <span className="sr-only">{title}</span>}
    </span>
  )
}

function Shape({ of }: { of: ReturnType<typeof agentShape> }) {
  const look = { fill: 'currentColor', fillOpacity: 0.13, stroke: 'currentColor', strokeOpacity: 0.45 }
  switch (of) {
    case 'circle':
      return <circle cx="10" cy="10" r="9.5" {...look} />
    case 'square':
      return <rect x="0.5" y="0.5" width="19" height="19" rx="4.5" {...look} />
    case 'hexagon':
      return <path d="M6 1h8l5.4 9L14 19H6L.6 10z" strokeLinejoin="round" {...look} />
  }
}
