// The tour as data: its files, and the commands of each step with what is said about them.

// A customer and accounts that every sandbox has.
export const payer = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const wallet = '64fbd491-4b09-49d5-b40c-8b27facb31a9'
const usdAccount = 'e6086267-7e5a-4a91-b136-a94b38bbbfb8'

export const tourFiles: Readonly<Record<string, string>> = {
  'passport.json': `{"kycData": {"documents": [{"type": "GOVERNMENT_ID", "subtype": "PASSPORT", "countryCode": "AR", "documentIdNumber": "AAC123456",
  "issuanceDate": "2023-05-06", "expirationDate": "2033-05-05", "frontIdImage": "./passport.pdf"}]}}`,
  // The smallest document that the interface accepts has 100 KB. The image itself is blank.
  'passport.pdf': `%PDF-1.4\n%${'.'.repeat(110 * 1024)}\n%%EOF\n`,
  'payroll.csv': `key,customer,from,from-currency,from-method,to,to-currency,to-method,amount
nov-ana,${payer},${wallet},USDC,SOLANA,${usdAccount},USD,ACH,150.00
nov-max,${payer},${wallet},USDC,SOLANA,861c3341-c5aa-48c7-a8e2-f2bb23581ca9,EUR,SEPA,90.00
nov-eva,${payer},${wallet},USDC,SOLANA,bbb1a057-24f2-4212-952a-5d3feb533db4,INR,IN_NEFT_RTGS_IMPS,30.00
`,
}

interface TourCommand {
  // As a shell takes it.
  line: string
  says?: string
  // Killed as soon as the service has made the payment.
  isKilled?: true
}

const pay = `svc pay --key rent-2026-11 --customer ${payer} \\\n  --from ${wallet} --from-currency USDC \\\n  --to ${usdAccount} --amount 100.00 --max-fee 2%`

export const tourSteps: ReadonlyArray<{title: string; says: string; commands: readonly TourCommand[]}> = [
  {
    title: 'Look around, and use it in scripts',
    says: `svc runs a payments service from the command line. The whole service is
built in as a sandbox, with invented customers. Standard output is only data.`,
    commands: [
      {line: 'svc customers list --status NEEDS_ADDITIONAL_INFORMATION \\\n  --columns name,status,updated'},
      {
        line: `svc customers list --all \\\n  --jq '[.customers[].customerStatus] | group_by(.)[] | "\\(length) \\(.[0])"'`,
      },
    ],
  },
  {
    title: 'Correct a refused verification',
    says: `svc says what verification refused, and checks the correction before it is
sent. At a terminal, \`svc customers fix\` asks for exactly these fields.`,
    commands: [
      {line: 'svc customers issues mateo.q@example.com --columns code,meaning'},
      {line: 'svc customers update mateo.q@example.com -f passport.json \\\n  --columns name,status'},
      {line: 'svc sandbox clock until-idle --quiet', says: 'Later…'},
      {line: 'svc customers get mateo.q@example.com --columns name,status'},
    ],
  },
  {
    title: 'Pay once, whatever happens',
    says: `A payment has a key, and is made at most once under it. Here svc is killed
after the money moved and before the answer came. The same command finds it.`,
    commands: [
      {
        line: 'svc sandbox faults add --method POST --path /transactions --kind delay \\\n  --delay 60s --times 1 --quiet',
      },
      {line: pay, isKilled: true, says: 'Killed while it waits for the answer:'},
      {line: 'svc journal list --columns key,state,amount', says: 'Nobody knows now whether it was paid.'},
      {line: `${pay} \\\n  --columns status,from,to,fees`},
      {
        line: `svc transactions list --all \\\n  --jq '[.transactions[] | select(.source.sourceAmount == "100.00")] | length'`,
        says: 'How many payments of 100.00 does the service have?',
      },
    ],
  },
  {
    title: 'Pay a whole file',
    says: `Every row has its key, all rows are checked before the first is paid, and the
file again pays nothing twice.`,
    commands: [
      {line: 'svc payouts run payroll.csv --dry-run'},
      {line: 'svc payouts run payroll.csv'},
      {line: 'svc payouts run payroll.csv --result again.csv', says: 'Once more, by mistake:'},
    ],
  },
]
