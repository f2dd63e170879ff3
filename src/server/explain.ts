// Explains why a finding matters, for the page: in the words of its damage class, otherwise by its severity.

import type { Finding, Severity } from '../model/finding.ts'
import { damages } from '../repair/damage/index.ts'
import type { ApiFinding } from './api.ts'

const WHYS = new Map(damages.flatMap(({ id, why }): [string, string][] => (why === undefined ? [] : [[id, why]])))

const EFFECTS: Record<Severity, string> = {
  lost: 'This part cannot be read; everything around it can.',
  updating: 'The agent may still be writing it: check again when it has finished.',
  survived: 'Everything around it can be read.',
}

export function explain<One extends Finding>(finding: One): One & Pick<ApiFinding, 'why'> {
  const why = finding.severity === 'updating' ? undefined : WHYS.get(finding.damage)
  return { ...finding, why: why ?? EFFECTS[finding.severity] }
}
