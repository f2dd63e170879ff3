// The lines of the help overlay, from the registered shortcuts. Pure.
import type { Shortcut } from '../keyboard.ts'

/** One line for each label with all its keys. Of two shortcuts with the same key, the later one runs. */
export function gather(all: readonly Pick<Shortcut, 'key' | 'label'>[]): { label: string; keys: string[] }[] {
  const labels = new Map<string, string>()
  for (const { key, label } of all) labels.set(key, label)
  const lines = new Map<string, string[]>()
  for (const [key, label] of labels) lines.set(label, [...(lines.get(label) ?? []), key])
  return [...lines].map(([label, keys]) => ({ label, keys }))
}
