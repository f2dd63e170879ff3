// The form of a question, with one field for each requested value.
import { useId, useState } from 'react'
import type { QuestionField } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanLine, cleanText } from '../common/clean.ts'
import type { Filled } from './form-content.ts'
import { contentOf, missingIn } from './form-content.ts'

interface Props {
  fields: readonly QuestionField[]
  isSending: boolean
  onAnswer: (content: Record<string, unknown>) => void
  onDecline: () => void
}

export function QuestionForm({ fields, isSending, onAnswer, onDecline }: Props) {
  const [filled, setFilled] = useState<Filled>({})
  const missing = missingIn(fields, filled)
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (missing === undefined) onAnswer(contentOf(fields, filled))
      }}
      className="flex min-w-0 flex-col gap-3"
    >
      {fields.map(field => (
        <Field
          key={field.name}
          field={field}
          value={filled[field.name]}
          onChange={value => setFilled(before => ({ ...before, [field.name]: value }))}
        />
      ))}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" variant="primary" size="sm" disabled={isSending || missing !== undefined}>
          Answer
        </Button>
        <Button size="sm" disabled={isSending} onClick={onDecline}>
          Decline
        </Button>
        <span role="status" className="min-w-0 text-quiet text-xs">
          {missing === undefined ? '' : `${cleanLine(missing)} is needed`}
        </span>
      </div>
    </form>
  )
}

interface FieldProps {
  field: QuestionField
  value: Filled[string] | undefined
  onChange: (value: Filled[string]) => void
}

function Field({ field, value, onChange }: FieldProps) {
  const id = useId()
  const { type, title, description } = field
  if (type === 'choice' || type === 'choices') return <Choices {...{ field, value, onChange }} />
  if (type === 'boolean')
    return (
      <label className="flex items-start gap-2 text-normal text-sm">
        <input
          type="checkbox"
          checked={value === true}
          onChange={event => onChange(event.target.checked)}
          className="mt-0.5 size-4 accent-(--accent)"
        />
        <span className="min-w-0">
          {cleanLine(title)}
          <Description text={description} />
        </span>
      </label>
    )
  return (
    <label htmlFor={id} className="flex min-w-0 flex-col gap-1 text-normal text-sm">
      {cleanLine(title)}
      <Description text={description} />
      <input
        id={id}
        type="text"
        inputMode={type === 'text' ? 'text' : type === 'integer' ? 'numeric' : 'decimal'}
        value={typeof value === 'string' ? value : ''}
        onChange={event => onChange(event.target.value)}
        autoComplete="off"
        className="h-8 rounded-md border border-line-strong bg-page px-2 text-base text-strong"
      />
    </label>
  )
}

function Choices({ field: { name, title, description, type, options }, value, onChange }: FieldProps) {
  const isOne = type === 'choice'
  const chosen = Array.isArray(value) ? value : []
  const toggle = (one: string) =>
    onChange(chosen.includes(one) ? chosen.filter(other => other !== one) : [...chosen, one])
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5 text-normal text-sm">
      <legend className="mb-1">
        {cleanLine(title)}
        <Description text={description} />
      </legend>
      {options.map(option => (
        <label key={option.value} className="flex items-start gap-2">
          <input
            type={isOne ? 'radio' : 'checkbox'}
            name={`question ${name}`}
            checked={isOne ? value === option.value : chosen.includes(option.value)}
            onChange={() => (isOne ? onChange(option.value) : toggle(option.value))}
            className="mt-0.5 size-4 accent-(--accent)"
          />
          <span className="min-w-0 text-strong [overflow-wrap:anywhere]">{cleanLine(option.title)}</span>
        </label>
      ))}
    </fieldset>
  )
}

function Description({ text }: { text: string | null }) {
  if (text === null) return null
  return <span className="block text-quiet text-xs [overflow-wrap:anywhere]">{cleanText(text)}</span>
}
