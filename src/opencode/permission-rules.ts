// The permission rules of a session, as clients set them: allow,
// deny or ask, for names and patterns with stars.
import { z } from 'zod'
import { matchesName } from '../model/glob.ts'

export const permissionRuleSchema = z.object({
  permission: z.string(),
  pattern: z.string(),
  action: z.enum(['allow', 'deny', 'ask']),
})
export type PermissionRule = z.infer<typeof permissionRuleSchema>

/** More rules, or longer ones, are a mistake of the client. */
const MAX_RULES = 1000
const MAX_RULE_CHARS = 4096

export const permissionRulesSchema = z
  .array(
    permissionRuleSchema.extend({
      permission: z.string().min(1).max(MAX_RULE_CHARS),
      pattern: z.string().min(1).max(MAX_RULE_CHARS),
    }),
  )
  .max(MAX_RULES)

/** Later rules win. A client that changes rules adds to those that a session has. */
export function addRules(
  before: readonly PermissionRule[] | undefined,
  more: readonly PermissionRule[],
): PermissionRule[] {
  return [...(before ?? []), ...more].slice(-MAX_RULES)
}

/**
 * `patterns`: each with the other names it has. The last rule that matches decides for each pattern. One
 * pattern that is denied denies the request, and only a request whose patterns are all allowed is allowed.
 */
export function decide(
  rules: readonly PermissionRule[],
  permission: string,
  patterns: readonly (readonly string[])[],
): PermissionRule['action'] {
  const ofName = rules.filter(rule => matches(rule.permission, permission))
  const actions = patterns.map(
    names => ofName.findLast(rule => names.some(name => matches(rule.pattern, name)))?.action ?? 'ask',
  )
  if (actions.includes('deny')) return 'deny'
  return actions.length > 0 && actions.every(action => action === 'allow') ? 'allow' : 'ask'
}

/** `git *` matches `git` too. Brackets and backslashes have no meaning in a rule. */
function matches(pattern: string, name: string): boolean {
  const plain = pattern.replaceAll(/[[\\]/g, '\\$&')
  return matchesName(plain, name) || (plain.endsWith(' *') && matchesName(plain.slice(0, -2), name))
}
