// Agents as providers, and the models they offer.
import { describe, expect, test } from 'vitest'
import { type AgentsOptions, makeAgents } from '../../journal/connection/acp-agents.ts'
import { ClientConfig } from '../client-config.ts'
import { chooseModel } from '../turns/model-settings.ts'
import { Catalogue } from './catalogue.ts'
import { readOfferedModels } from './offered-models.ts'

const absent = { name: 'absent', title: 'Absent', command: 'not-there-acp', args: [], store: 's' }
const present = { ...absent, name: 'present', title: 'Present', command: process.execPath }
const models = [{ id: 'own', name: 'Own', family: 'Owned' }]

function catalogueOf(defaults: AgentsOptions['defaults'], configured: AgentsOptions['configured'] = {}): Catalogue {
  const mock = { command: process.execPath, args: [] }
  return new Catalogue(makeAgents({ configured, defaults, mock, variables: {} }))
}

describe('the catalogue', () => {
  test('lists installed agents first, then the built-in one, then the others, also some that are not configured', () => {
    const { all, connected } = catalogueOf([absent, present]).providers()
    expect(all.map(({ id }) => id)).toEqual(['present', 'mock', 'absent', 'pi'])
    expect(connected).toEqual(['present', 'mock'])
    const configured = catalogueOf([], { pi: { command: process.execPath, args: [], env: {} } })
    expect(configured.providers().connected).toEqual(['pi', 'mock'])
  })

  test('gives each its own models, or one that stands for its own choice', () => {
    const catalogue = catalogueOf([{ ...absent, models }, present])
    expect(catalogue.defaults()).toEqual({ absent: 'own', present: 'default', mock: 'mock', pi: 'default' })
    catalogue.learnModels('present', [{ id: 'large', name: 'Large' }])
    const provider = catalogue.providers().all.find(({ id }) => id === 'present')
    expect(Object.keys(provider?.models ?? {})).toEqual(['default', 'large'])
    expect(provider?.models['large']).toMatchObject({ id: 'large', providerID: 'present', family: 'Present' })
  })

  test('takes the built-in agent where a client says nothing, or what a client has configured', () => {
    const catalogue = catalogueOf([present])
    const config = new ClientConfig(catalogue)
    expect(config.defaultChoice).toMatchObject({ providerID: 'present' })
    config.change({ model: 'present/some/model' })
    expect(config.defaultChoice).toEqual({ providerID: 'present', modelID: 'some/model' })
    expect(config.get()).toMatchObject({ model: 'present/some/model', share: 'manual' })
  })

  test('keeps nothing that would come to nothing', () => {
    const config = new ClientConfig(catalogueOf([]))
    const refused = expect.objectContaining({ code: 'unsupported', message: expect.stringContaining('mcp, plugin') })
    expect(() => config.change({ theme: 'x', mcp: {}, plugin: [] })).toThrow(refused)
    expect(config.get()).not.toHaveProperty('theme')
    expect(() => config.change({ model: 'nobody/x' })).toThrow('no provider')
  })
})

describe('a client means', () => {
  const catalogue = catalogueOf([{ ...absent, models }])
  const mock = { providerID: 'mock', modelID: 'mock' }
  test.each([
    ['the model it names', { model: mock, agent: 'absent' }, mock],
    [
      'the default of the agent it names',
      { model: undefined, agent: 'absent' },
      { providerID: 'absent', modelID: 'own' },
    ],
    ['nothing by a word of its own', { model: undefined, agent: 'build' }, undefined],
    ['nothing by the agent that the session has', { model: undefined, agent: 'mock' }, undefined],
    ['nothing', { model: undefined, agent: undefined }, undefined],
  ])('%s', (_name, named, choice) => {
    expect(chooseModel(catalogue, named, { providerID: 'mock', modelID: 'other' })).toEqual(choice)
  })
  test('something that is not there', () => {
    const named = { model: { providerID: 'nobody', modelID: 'x' }, agent: undefined }
    expect(() => chooseModel(catalogue, named)).toThrow(expect.objectContaining({ code: 'usage' }))
  })
})

describe('an agent offers models', () => {
  test('as an option, also in groups', () => {
    const option = (options: object[]) => ({
      configOptions: [{ id: 'mode' }, { id: 'm', category: 'model', currentValue: 'a', options }],
    })
    const offered = readOfferedModels(option([{ value: 'a', name: 'A' }, { value: 'b' }]))
    expect(offered).toMatchObject({
      current: 'a',
      models: [
        { id: 'a', name: 'A' },
        { id: 'b', name: 'b' },
      ],
    })
    expect(offered?.request('b')).toEqual({
      method: 'session/set_config_option',
      params: { configId: 'm', value: 'b' },
    })
    expect(readOfferedModels(option([{ group: 'g', options: [{ value: 'c' }] }]))?.models).toEqual([
      { id: 'c', name: 'c' },
    ])
  })

  test('as a list', () => {
    const offered = readOfferedModels({ models: { currentModelId: 'a', availableModels: [{ modelId: 'a' }, {}] } })
    expect(offered).toMatchObject({ current: 'a', models: [{ id: 'a' }] })
    expect(offered?.request('a')).toEqual({ method: 'session/set_model', params: { modelId: 'a' } })
  })

  test.each([undefined, null, {}, { configOptions: 5 }, { models: { availableModels: {} } }])('or none: %j', answer => {
    expect(readOfferedModels(answer)).toBeUndefined()
  })
})
