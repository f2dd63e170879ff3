// Permissions and questions, there and back.
import { describe, expect, test } from 'vitest'
import { envelopeOf, permission, prompt } from '../../../test/support/journal/conversation-samples.ts'
import { project } from '../../../test/support/opencode/projection-samples.ts'
import { QUESTION_MARK } from '../../journal/conversation/questions.ts'
import type { Envelope } from '../../journal/store/store.ts'
import { hasErrorCode } from '../../model/errors.ts'
import type { PermissionReply, PermissionRequest } from '../shapes/request.ts'
import { answerPermission, subjectOf } from './permissions.ts'
import { answerQuestion, rejectQuestion } from './questions.ts'

const option = (kind: string) => ({ optionId: `id-${kind}`, name: `Name of ${kind}`, kind })

function ask(envelope: Envelope) {
  const { view } = project([prompt(1, 'Go'), envelope])
  const [request] = [...view.permissions(), ...view.questions()]
  const asked = view.findRequest(request?.id ?? '')
  if (asked === undefined) throw new Error('nothing was asked')
  return asked
}

function form(properties: object): Envelope {
  const params = {
    mode: 'form',
    sessionId: 'agent',
    message: 'Tell me',
    requestedSchema: { type: 'object', properties },
  }
  return envelopeOf('agent', { jsonrpc: '2.0', id: 5, method: 'elicitation/create', params })
}

describe('a permission', () => {
  test.each<[PermissionReply, string[], string | undefined]>([
    ['once', ['allow_always', 'allow_once', 'reject_once'], 'id-allow_once'],
    ['always', ['allow_once', 'allow_always'], 'id-allow_always'],
    ['always', ['allow_once', 'reject_once'], 'id-allow_once'],
    ['reject', ['allow_once', 'reject_always', 'reject_once'], 'id-reject_once'],
    ['reject', ['allow_once', 'reject_always'], 'id-reject_always'],
    ['reject', ['allow_once'], undefined],
  ])('is answered "%s" with the best of %j', (reply, kinds, optionId) => {
    const { question } = ask(permission(5, { options: kinds.map(option) }))
    const expected = optionId === undefined ? { type: 'cancelled' } : { type: 'selected', optionId }
    expect(answerPermission(question, reply)).toEqual(expected)
  })

  test('that the agent only offers for always is not granted once', () => {
    const { question } = ask(permission(5, { options: ['allow_always', 'reject_once'].map(option) }))
    expect(catching(() => answerPermission(question, 'once'))).toSatisfy(error => hasErrorCode(error, 'usage'))
  })

  test('says what an "always" grants: what the option of the agent says, otherwise the same once more', () => {
    const always = (kinds: string[], rawInput: object) => {
      const toolCall = { toolCallId: 'c', kind: 'execute', title: 'Run', rawInput }
      return (ask(permission(5, { toolCall, options: kinds.map(option) })).request as PermissionRequest).always
    }
    expect(always(['allow_once', 'allow_always'], { command: 'ls' })).toEqual(['Name of allow_always (asked for: ls)'])
    expect(always(['allow_once'], { command: 'ls' })).toEqual(['ls'])
    expect(always(['allow_once'], {})).toEqual(['Run'])
  })

  test.each([
    [
      'the same command, described in other words',
      { command: 'ls', description: 'a' },
      { command: 'ls', description: 'b' },
      true,
    ],
    ['another command', { command: 'ls' }, { command: 'ls -a' }, false],
    ['the same command in another folder', { command: 'ls', cwd: '/a' }, { command: 'ls', cwd: '/b' }, false],
  ])('of %s is compared', (_name, before, after, isSame) => {
    const subject = (rawInput: object) =>
      subjectOf(
        ask(permission(5, { toolCall: { toolCallId: 'c', kind: 'execute', rawInput }, options: [] }))
          .request as PermissionRequest,
      )
    expect(subject(before) === subject(after)).toBe(isSame)
  })

  test.each([
    ['of its input', { title: 'Run', rawInput: { command: 'ls' } }, 'ls'],
    ['that is its title, where the agent gives no input', { title: 'ls -a' }, 'ls -a'],
    ['that is its title in quotes', { title: '`ls -a`' }, 'ls -a'],
  ])('to run a command shows the command %s', (_name, call, command) => {
    const { view } = project([
      prompt(1, 'Go'),
      permission(5, { toolCall: { toolCallId: 'c', kind: 'execute', status: 'pending', ...call } }),
    ])
    expect(view.permissions()).toMatchObject([{ permission: 'bash', patterns: [command], metadata: { command } }])
    const parts = view.messages().flatMap(message => message.parts)
    expect(parts.find(({ type }) => type === 'tool')).toMatchObject({
      tool: 'bash',
      state: { status: 'running', input: { command } },
    })
  })

  test('to delete a file is another one than to edit it', () => {
    const subject = (kind: string) => {
      const toolCall = { toolCallId: 'c', kind, locations: [{ path: '/a' }] }
      return subjectOf(ask(permission(5, { toolCall, options: [] })).request as PermissionRequest)
    }
    expect(subject('edit')).toBe(subject('edit'))
    expect(subject('edit')).not.toBe(subject('delete'))
  })

  test('that was answered "always" is published so, though the agent has no such option', () => {
    const { view } = project([prompt(1, 'Go'), permission(5, { options: [option('allow_once')] })])
    const [request] = view.permissions()
    view.expectReply(request?.id ?? '', 'always')
    const result = { outcome: { outcome: 'selected', optionId: 'id-allow_once' } }
    const answer = envelopeOf('client', { jsonrpc: '2.0', id: 5, result })
    const notified = view.apply({
      ...answer,
      sessionId: 's',
      seq: 3,
      id: 'e3',
      createdAt: 9,
      envelope: { id: 5, result },
    })
    expect(notified).toMatchObject([{ type: 'permission.replied', properties: { reply: 'always' } }])
  })
})

describe('a question', () => {
  test('with a form is answered with the form filled in', () => {
    const { question } = ask(
      form({
        fruit: { type: 'string', oneOf: [{ const: 'a', title: 'Apples' }] },
        many: { type: 'array', items: { enum: ['x', 'y'] } },
        sure: { type: 'boolean' },
        count: { type: 'integer' },
        words: { type: 'string' },
        none: { type: 'string' },
      }),
    )
    const answers = [['Apples'], ['x', 'y'], ['No'], ['3'], ['my own']]
    const content = { fruit: 'a', many: ['x', 'y'], sure: false, count: 3, words: 'my own' }
    expect(answerQuestion(question, answers)).toEqual({ type: 'accept', content })
    expect(rejectQuestion(question)).toEqual({ type: 'decline' })
    expect(() => answerQuestion(question, [[], [], [], ['three']])).toThrow('a number')
  })

  test('that came as a permission is answered with one of its options', () => {
    const asked = ask(permission(5, { options: [option('allow_once')], _meta: { [QUESTION_MARK]: true } }))
    expect(asked).toMatchObject({
      type: 'question',
      request: { questions: [{ options: [{ label: 'Name of allow_once' }] }] },
    })
    const { question } = asked
    expect(answerQuestion(question, [['Name of allow_once']])).toEqual({ type: 'selected', optionId: 'id-allow_once' })
    expect(rejectQuestion(question)).toEqual({ type: 'cancelled' })
    expect(catching(() => answerQuestion(question, [['Other']]))).toSatisfy(error => hasErrorCode(error, 'usage'))
  })
})

function catching(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}
