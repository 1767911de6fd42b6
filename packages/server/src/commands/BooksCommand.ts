/** `pointsman books`: the double-entry view of what is recorded and reported. */

import { readDuration } from "@pointsman/configuration"
import {
  type AccountBalance,
  type Balances,
  defaultMonthClosing,
  journalFormats,
  journalHeader,
  Pointsman,
  periodOpenUntil,
  transactionText
} from "@pointsman/core"
import { decimalText } from "@pointsman/core/internal"
import { Clock, Console, Effect, Option, Stream } from "effect"
import { Flag } from "effect/cli"
import { CommandFailure } from "./CommandFailure.ts"
import { commandGroup, textFlag } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { epochMillisIn, type Moment, momentFlag } from "./Moment.ts"
import { print } from "./Output.ts"
import { paragraphs, type Text, table } from "./Table.ts"
import { ownEnvironmentFlag, tenantOf, workspaceFlag } from "./Tenants.ts"
import { timeOf } from "./Words.ts"

const shared = {
  workspace: workspaceFlag,
  environment: ownEnvironmentFlag,
  to: momentFlag("to", "Transactions posted before this time; default: now").pipe(Flag.optional),
  connection: textFlag("connection", "id", "Only transactions of this connection"),
  closeAfter: Flag.String("close-after").pipe(
    Flag.withMetavar("duration"),
    Flag.withDescription(
      "How long after its end a month is closed (UTC); use the same for every export; default: 5 days"
    ),
    Flag.filterMap(readDuration, () => 'a duration such as "10 days"'),
    Flag.withDefault(defaultMonthClosing.closeAfterMillis)
  )
}

interface Period {
  readonly from: Option.Option<Moment>
  readonly to: Option.Option<Moment>
  readonly connection: Option.Option<string>
  readonly closeAfter: number
}

/** What is asked of the journal. A period that may still change is named on standard error. */
const queryOf = Effect.fnUntraced(function* ({ closeAfter: closeAfterMillis, connection, from, to }: Period) {
  const now = yield* Clock.currentTimeMillis
  const before = epochMillisIn(to, now) ?? now
  const first = epochMillisIn(from, now)
  if (first !== undefined && first >= before) {
    return yield* new CommandFailure({
      message: `--from: expected a time before the end of the period, ${timeOf(before)}.`
    })
  }
  const openUntil = periodOpenUntil(before, { closeAfterMillis })
  if (now < openUntil) {
    yield* Console.error(`The period is open until ${timeOf(openUntil)}: what is recorded until then may add to it.`)
  }
  return { from: first, before, connectionId: Option.getOrUndefined(connection), closeAfterMillis }
})

const exportBooks = databaseCommand(
  {
    name: "export",
    short: "Print the journal for other accounting programs",
    long:
      "Print the double-entry journal of a period for other accounting programs: Beancount, ledger or hledger, and CSV. Each " +
      "transaction adds up to zero in each currency. Money whose result is not known is not in it: `pointsman books " +
      "balance` lists that. Payments that left the database by retention are not in it.",
    examples: {
      "pointsman books export --environment production --from 2026-11-01 --to 2026-12-01 --format beancount > 2026-11.beancount":
        "One month",
      "pointsman books export --environment production --from 2026-11-01 --to 2026-12-01 --format csv":
        "The same, for a spreadsheet"
    },
    isText: true,
    flags: {
      from: momentFlag("from", "Transactions posted at this time or later; default: all").pipe(Flag.optional),
      format: Flag.Literals("format", journalFormats).pipe(Flag.withDescription("beancount, ledger or csv")),
      ...shared
    }
  },
  function* ({ closeAfter, connection, environment, format, from, to, workspace }) {
    const tenant = yield* tenantOf(workspace, environment)
    const query = yield* queryOf({ closeAfter, connection, from, to })
    const { journal } = yield* Pointsman
    // Every text ends with a line break, which the console writes.
    const write = (text: string) => (text === "" ? Effect.void : Console.log(text.slice(0, -1)))
    yield* write(journalHeader(format))
    yield* Stream.runForEachArray(journal(tenant, query), (entries) =>
      write(
        entries.map((entry) => (entry._tag === "Pending" ? "" : transactionText(entry.transaction, format))).join("")
      )
    )
  }
)

const balance = databaseCommand(
  {
    name: "balance",
    short: "Print the balance of each account",
    long:
      "Print what each account of the double-entry view has, as positive debits and negative credits, and below it the money " +
      "whose result is not known. The accounts of a currency add up to zero. `Equity:Unexplained` is what a report says and " +
      "the records do not, or the reverse.",
    examples: {
      "pointsman books balance --environment production": "Now",
      "pointsman books balance --environment production --to 2026-12-01 --json": "As of December"
    },
    flags: shared
  },
  function* ({ closeAfter, connection, environment, to, workspace }, { json }) {
    const tenant = yield* tenantOf(workspace, environment)
    const query = yield* queryOf({ closeAfter, connection, from: Option.none(), to })
    const { accounts, pending } = yield* (yield* Pointsman).balances(tenant, query)
    yield* print(
      json,
      {
        data: {
          workspace_id: tenant.workspaceId,
          environment,
          before: timeOf(query.before),
          accounts,
          pending
        }
      },
      accounts.length + pending.length === 0 ? "" : balanceText({ accounts, pending })
    )
    if (!json && accounts.length + pending.length === 0) yield* Console.error("No transactions found.")
  }
)

const balanceText = ({ accounts, pending }: Balances): Text => {
  const amountOf = ({ amount, currency }: Pick<AccountBalance, "amount" | "currency">) =>
    decimalText({ minorUnits: amount, currency })
  const ofAccounts = table(
    ["ACCOUNT", "AMOUNT", "CURRENCY"],
    accounts.map((line) => [line.account, amountOf(line), line.currency])
  )
  if (pending.length === 0) return ofAccounts
  const ofPending = table(
    ["PENDING", "CONNECTION", "COUNT", "AMOUNT", "CURRENCY"],
    pending.map((line) => [line.what, line.connection || null, line.count, amountOf(line), line.currency])
  )
  return accounts.length === 0 ? ofPending : paragraphs(ofAccounts, ofPending)
}

export const booksCommand = commandGroup(
  "books",
  {
    short: "Print the double-entry view of the books",
    long: "Print the double-entry view of payments and providers' reports."
  },
  [exportBooks, balance]
)
