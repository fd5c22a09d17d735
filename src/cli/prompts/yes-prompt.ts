// A confirmation that needs a typed yes. Enter alone, Tab and Esc do not confirm.
import {createPrompt, isEnterKey, isTabKey, makeTheme, useKeypress, usePrefix, useState} from '@inquirer/core'
import {wrapLine} from '../wizard/print.ts'

const isYes = (text: string) => /^y(es)?$/i.test(text.trim())

// `canGoBack` lets Shift-Tab return to the questions before.
export const yesPrompt = createPrompt<boolean | 'back', {message: string; canGoBack?: boolean}>((prompt, done) => {
  const {message, canGoBack = false} = prompt
  const theme = makeTheme()
  const [status, setStatus] = useState<'idle' | 'done'>('idle')
  const [value, setValue] = useState('')
  const prefix = usePrefix({status, theme})
  useKeypress((key, line) => {
    if (status !== 'idle') return
    const isEscape = key.name === 'escape'
    if (isEscape || isEnterKey(key)) {
      const answer = !isEscape && isYes(value)
      setValue(answer ? 'Yes' : 'No')
      setStatus('done')
      done(answer)
    } else if (canGoBack && isTabKey(key) && key.shift) {
      setValue('(back)')
      setStatus('done')
      done('back')
    } else if (isTabKey(key)) {
      line.clearLine(0)
      line.write(value)
    } else {
      setValue(line.line)
    }
  })
  const head = `${prefix} ${theme.style.message(message, status)}`
  return status === 'done'
    ? wrapLine(`${head} ${theme.style.answer(value)}`)
    : `${wrapLine(`${head} ${theme.style.defaultAnswer('y/N')}`)} ${value}`
})
