// Providers that clients expect to find although rethread cannot start them by itself. One that is configured under such a name takes its place.
import type { AgentModel } from '../../journal/connection/acp-agents.ts'

export interface OtherProvider {
  name: string
  title: string
  models: readonly AgentModel[]
}

export const otherProviders: readonly OtherProvider[] = [
  { name: 'pi', title: 'Pi', models: [{ id: 'default', name: 'Default', family: 'Pi' }] },
]
