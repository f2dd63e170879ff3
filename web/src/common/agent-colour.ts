// Each agent has its own hue and shape, derived from its name. There is no list of agents, and the list and
// the charts agree.
const SLOTS = 12
/** Chosen so that the agents known today get different slots. */
const SEED = 172_870

export type AgentShape = 'circle' | 'square' | 'hexagon'
const SHAPES: readonly AgentShape[] = ['square', 'circle', 'hexagon']

/** Has a contrast of at least 3:1 in both themes. Neighbouring hues also differ in lightness. */
export function agentColour(agent: string): string {
  const slot = slotOf(agent)
  const hue = (slot * 360) / SLOTS + 20
  return slot % 2 === 0
    ? `light-dark(oklch(0.5 0.15 ${hue}), oklch(0.72 0.13 ${hue}))`
    : `light-dark(oklch(0.6 0.16 ${hue}), oklch(0.83 0.11 ${hue}))`
}

export function agentShape(agent: string): AgentShape {
  return SHAPES[slotOf(agent) % SHAPES.length] ?? 'square'
}

/** "NA" of "new-agent" or "New Agent", "Ag" of "agent". */
export function agentLetters(title: string): string {
  const words = title.split(/[^\p{L}\p{N}]+/u).filter(word => word !== '')
  const [first = '?', second] = words
  if (second !== undefined) return (firstOf(first) + firstOf(second)).toUpperCase()
  const [one = '?', two = ''] = first
  return one.toUpperCase() + two.toLowerCase()
}

function firstOf(word: string): string {
  const [letter = ''] = word
  return letter
}

function slotOf(agent: string): number {
  let hash = SEED
  for (let at = 0; at < agent.length; at++) hash = Math.imul(hash ^ agent.charCodeAt(at), 16_777_619) >>> 0
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x2c1b3c6d) >>> 0
  hash ^= hash >>> 12
  return (hash >>> 0) % SLOTS
}
