// The file beside a database in which its running server writes its address.
import fs from 'node:fs'

const extension = '.server'

export const getAddressFile = (file: string) => `${fs.realpathSync(file)}${extension}`

// A quick look, which most commands do with every run. Whether the server still runs is another question.
export const hasAddressFile = (file: string) => fs.existsSync(file) && fs.existsSync(getAddressFile(file))
