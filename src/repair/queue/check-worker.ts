// A thread that checks sessions: reading and judging a large one takes seconds, in which whoever asked goes on.
import { parentPort, workerData } from 'node:worker_threads'
import type { Environment } from '../../agents/environment.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { CheckContext } from '../check/check.ts'
import { checkSession } from '../check/check.ts'
import { agentsOf } from './thread-agents.ts'
import { endWhenAsked } from './threads.ts'

export interface WorkerTask {
  id: number
  session: SessionRef
  force: boolean
}

export type WorkerAnswer = { id: number; verdict: Verdict; identity: string } | { id: number; fault: unknown }

export interface WorkerSetUp {
  environment: Environment
  state: string
  journal?: string
}

const { environment, state, journal } = workerData as WorkerSetUp
const context: CheckContext = { agents: agentsOf(journal), environment, state }
const port = parentPort
endWhenAsked(port)
port?.on('message', (task: WorkerTask | string) => {
  if (typeof task === 'string') return
  void answer(task).then(message => port.postMessage(message))
})

async function answer({ id, session, force }: WorkerTask): Promise<WorkerAnswer> {
  try {
    const { verdict, identity } = await checkSession(context, session, { force })
    return { id, verdict, identity }
  } catch (fault) {
    return { id, fault }
  }
}
