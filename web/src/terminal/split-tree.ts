// The arrangement of panes as an immutable tree of splits.
export type Direction = 'right' | 'down'

export type Tree =
  | { type: 'pane'; pane: string }
  | { type: 'split'; id: string; direction: Direction; share: number; first: Tree; second: Tree }

/** The minimum share of either side of a split. */
export const LEAST_SHARE = 0.15

export function panesOf(tree: Tree): string[] {
  return tree.type === 'pane' ? [tree.pane] : [...panesOf(tree.first), ...panesOf(tree.second)]
}

/** Adds `added` to the right of `beside` or below it, with half of its room. */
export function splitPane(tree: Tree, beside: string, added: string, direction: Direction): Tree {
  if (tree.type === 'split')
    return {
      ...tree,
      first: splitPane(tree.first, beside, added, direction),
      second: splitPane(tree.second, beside, added, direction),
    }
  if (tree.pane !== beside) return tree
  const second: Tree = { type: 'pane', pane: added }
  return { type: 'split', id: `${beside} ${added}`, direction, share: 0.5, first: tree, second }
}

/** The neighbour gets the room. Undefined if nothing is left. */
export function withoutPane(tree: Tree, pane: string): Tree | undefined {
  if (tree.type === 'pane') return tree.pane === pane ? undefined : tree
  const first = withoutPane(tree.first, pane)
  const second = withoutPane(tree.second, pane)
  if (first === undefined) return second
  if (second === undefined) return first
  return { ...tree, first, second }
}

export function setShare(tree: Tree, split: string, share: number): Tree {
  if (tree.type === 'pane') return tree
  if (tree.id === split) return { ...tree, share: Math.min(1 - LEAST_SHARE, Math.max(LEAST_SHARE, share)) }
  return { ...tree, first: setShare(tree.first, split, share), second: setShare(tree.second, split, share) }
}
