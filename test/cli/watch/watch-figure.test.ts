// The watch of a figure: a line per change, the alert, failures in between, and the chart.
import {afterEach, describe, expect, it, vi} from 'vitest'
import {
  type FigureOutput,
  type FigureTarget,
  renderSparkline,
  watchFigure,
} from '../../../src/cli/watch/watch-figure.ts'
import {SvcError} from '../../../src/errors.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()
afterEach(() => vi.restoreAllMocks())

const unreachable = () => new SvcError({error: 'UNREACHABLE', kind: 'unreachable', message: 'It does not answer'})
const minuteMs = 60_000

// Watches a figure that has these values, one per read, and stays at the last one.
async function watchValues(values: ReadonlyArray<string | SvcError>, more: Partial<FigureTarget & FigureOutput> = {}) {
  const printed: string[] = []
  const notices: string[] = []
  const write = (text: unknown, written?: unknown) => {
    printed.push(String(text))
    if (typeof written === 'function') (written as () => void)()
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(write)
  let reads = 0
  const read = async () => {
    const value = values[Math.min(reads++, values.length - 1)]
    if (value instanceof SvcError || value === undefined) throw value
    return {value, fields: {from: 'USDC'}}
  }
  const {isJson = false, isQuiet = false, ...target} = more
  const failure = await watchFigure(
    {name: 'rate', unit: 'USDC/USD', read, ...target},
    {
      intervalMs: minuteMs,
      isOnce: false,
      timeoutMs: values.length * minuteMs,
      stopped: new Promise<void>(() => {}),
    },
    {isJson, isLive: false, isQuiet, notice: (text) => notices.push(text), alert: (text) => notices.push(text)},
  )
  return {failure, printed, notices, reads}
}

describe('watchFigure', () => {
  it('prints the first figure and each change, and nothing while it stays the same', async () => {
    const {failure, printed, reads} = await watchValues(['1.5', '1.5', '1.50', '1.4', '1.5'])
    expect(failure).toBeUndefined()
    expect(reads).toBe(5)
    expect(printed.map((line) => line.replace(/^\S+Z {2}/, ''))).toEqual([
      '1.5 USDC/USD\n',
      '1.4 USDC/USD\n',
      '1.5 USDC/USD\n',
    ])
  })

  it('prints lines of JSON, which say whether the figure is below the alert', async () => {
    const {printed} = await watchValues(['2', '0.99'], {isJson: true, alertBelow: '1'})
    expect(printed.map((line) => JSON.parse(line) as unknown)).toEqual([
      {at: expect.stringMatching(/Z$/), rate: '2', from: 'USDC', alertBelow: '1', isBelow: false},
      {at: expect.stringMatching(/Z$/), rate: '0.99', from: 'USDC', alertBelow: '1', isBelow: true},
    ])
  })

  it('ends with a finding if the figure was below the alert at any time, and names the lowest', async () => {
    const {failure, printed} = await watchValues(['1.01', '0.98', '0.990', '1.02'], {alertBelow: '1'})
    expect(failure).toMatchObject({
      error: 'BELOW_ALERT',
      exitCode: 12,
      message: 'The rate was 0.98 USDC/USD, which is below 1',
    })
    expect(printed[1]).toContain('0.98 USDC/USD  BELOW 1\n')
  })

  it('does not take the alert itself for below it, however it is written', async () => {
    expect((await watchValues(['1.00', '1'], {alertBelow: '1.000'})).failure).toBeUndefined()
  })

  it('prints nothing with --quiet, and still ends with the finding', async () => {
    const {failure, printed} = await watchValues(['0.5'], {alertBelow: '1', isQuiet: true})
    expect([failure?.exitCode, printed]).toEqual([12, []])
  })

  it('goes on while the service does not answer, and says so once', async () => {
    const {printed, notices} = await watchValues(['1', unreachable(), unreachable(), '2'])
    expect(printed).toHaveLength(2)
    expect(notices).toEqual(['It does not answer; still trying.', 'The service answers again.'])
  })

  it('ends with the error if the first read fails, or if the service refuses', async () => {
    await expect(watchValues([unreachable()])).rejects.toThrow('It does not answer')
    const refused = new SvcError({error: 'BAD_REQUEST', kind: 'refused', message: 'No'})
    await expect(watchValues(['1', refused])).rejects.toThrow('No')
  })
})

describe('renderSparkline', () => {
  it.each([
    [['1', '2', '3', '4', '5', '6', '7', '8'], 8, true, '▁▂▃▄▅▆▇█'],
    [['1', '1', '1'], 8, true, '▁▁▁'],
    [['9', '1', '2'], 2, true, '▁█'],
    [['0.1', '0.2', '0.3'], 8, false, '_-^'],
    [[], 8, true, ''],
  ])('draws %j in %d columns', (values, width, isUnicode, drawn) => {
    expect(renderSparkline(values, width, isUnicode)).toBe(drawn)
  })
})
