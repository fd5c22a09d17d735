# An operator's script: creates and verifies a customer, pays, and manages a rule as a file.
set -euo pipefail
export SVC_PROFILE=sandbox SVC_NO_INPUT=1

customer=$(svc customers create --type INDIVIDUAL --email ada@example.com --first-name Ada --last-name Example --json |
  jq -r .customerId)

status=$(svc customers update "$customer" -f person/kyc.yaml --wait --timeout 60s --json | jq -r .customerStatus)
echo "customer $status"

# The service has no endpoint that adds accounts, so the sandbox adds the bank account and the wallet.
wallet=$(svc sandbox accounts add --customer "$customer" --type SVC_CRYPTO_WALLET --chain BASE --balance 500 --json |
  jq -r .paymentAccountId)
bank=$(svc sandbox accounts add --customer "$customer" --type EXTERNAL_BANK_ACCOUNT --method ACH --json |
  jq -r .paymentAccountId)
route=(--customer "$customer" --from "$wallet" --from-currency USDC --from-method BASE
  --to "$bank" --to-currency USD --to-method ACH)

quote=$(svc quotes create "${route[@]}" --amount 120.50 --json | jq -r .quoteId)
transaction=$(svc transactions create --quote "$quote" --correlation-id payday --json | jq -r .transactionId)

# The same quote again: the same transaction, not a second one.
again=$(svc transactions create --quote "$quote" --correlation-id payday --json | jq -r .transactionId)
[ "$again" = "$transaction" ] && echo "paid once"

svc sandbox clock advance 1h --quiet
svc transactions watch "$transaction" --timeout 60s --json | jq -r '"transaction " + .transactionStatus'
svc transactions list --customer "$customer" --all -o jsonl | jq -r '.correlationId'

rule=$(svc rules create "${route[@]}" --name payroll --amount 10 --cron '0 9 * * 1-5' --json | jq -r .id)
svc rules export --customer "$customer" >rules.yaml
svc rules apply -f rules.yaml --json | jq -r '.applied[] | .action'
sed -i 's/value: "10"/value: "12.5"/' rules.yaml
svc rules apply -f rules.yaml --json | jq -r '.applied[] | .action + " " + .outcome'
svc rules get "$rule" --json | jq -r .transactionTemplate.amount.value
svc rules delete "$rule" --yes --json | jq -r '"deleted " + .name'
svc rules list --customer "$customer" --json | jq '.automationRules | length'

# A script can branch on the exit code of what the service does not allow.
svc customers update "$customer" --set kycData.accountPurpose=PERSONAL_USE >/dev/null 2>&1 || echo "code $?"
