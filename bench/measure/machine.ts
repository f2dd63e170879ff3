// What the figures were measured on: they mean nothing without it.
import { cpus, release, totalmem, type } from 'node:os'
import { formatBytes } from '../sizes.ts'

export function describeMachine(): string {
  const [first] = cpus()
  const cores = `${cpus().length} ${cpus().length === 1 ? 'core' : 'cores'}`
  const processor = first?.model.trim() ?? 'unknown processor'
  return `Node ${process.versions.node}, ${processor}, ${cores}, ${formatBytes(totalmem())} memory, ${type()} ${release()}`
}
