// THE LIST of clients.
import { acpx } from './acpx.ts'
import { agentsBehindApi } from './agent-behind-api.ts'
import { freshCheckout } from './checkout.ts'
import type { RealClient } from './client.ts'
import { opencodeRun } from './opencode-run.ts'
import { opencodeSdk } from './opencode-sdk.ts'
import { opencodeTerminal } from './opencode-terminal.ts'

export const CLIENTS: readonly RealClient[] = [
  opencodeRun,
  opencodeTerminal,
  opencodeSdk,
  acpx,
  ...agentsBehindApi,
  freshCheckout,
]
