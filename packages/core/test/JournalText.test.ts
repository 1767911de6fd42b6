/**
 * The journal as text for Beancount, for ledger and hledger, and as CSV. Each is held against the grammar of its
 * documentation, and against the programs themselves where the machine has them.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  accountName,
  type JournalFormat,
  type JournalTransaction,
  journalHeader,
  journalOf,
  transactionText
} from "@pointsman/core"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { events, payment, refunded, row } from "./support/JournalGiven.ts"

const money = (minorUnits: number, currency = "EUR") => ({ minorUnits, currency })

const record = {
  payment: payment({ capturedMinor: 1000, refundedMinor: 5, reference: 'order "1"\n; =1+1 \\' }),
  events: events(["payment.captured"], ["payment.refunded", refunded("rf_1", 5)])
}
const rows = [
  row({ converted: money(1080, "USD"), fee: money(25, "USD"), net: money(1055, "USD"), payoutId: "po (1)" }),
  row({ rowId: "bt_2", kind: "adjustment", gross: money(-12, "JPY") }),
  row({ rowId: "bt_3", kind: "fee", gross: money(-1234, "KWD") })
]

const sample: ReadonlyArray<JournalTransaction> = journalOf(record, rows)

const fileOf = (format: JournalFormat, transactions: ReadonlyArray<JournalTransaction>): string =>
  journalHeader(format) + transactions.map((one) => transactionText(one, format)).join("")

describe("the formats", () => {
  it("Beancount has a refund with its metadata, and quotes in texts are escaped", () => {
    const [, refund] = sample
    assert.strictEqual(
      refund === undefined ? "" : transactionText(refund, "beancount"),
      [
        '2026-11-03 * "Refund"',
        '  id: "evt_2"',
        '  payment: "01a1fe08-9226-7266-a33a-e3e7f1609a4e"',
        '  reference: "order \\"1\\" ; =1+1 \\\\"',
        '  occurred: "2026-11-03T12:00:01.000Z"',
        '  recorded: "2026-11-03T12:00:01.000Z"',
        "  Assets:Receivable:Main:EUR  -0.05 EUR",
        "  Income:Refunds:Main:EUR  0.05 EUR",
        "",
        ""
      ].join("\n")
    )
  })

  it("ledger has each currency of a conversion with its decimals", () => {
    const text = fileOf("ledger", sample)
    assert.include(text, "    Assets:Receivable:Main:USD  10.55 USD\n")
    assert.include(text, "    Equity:Conversion:Main:EUR  10.00 EUR\n")
    assert.include(text, "    Equity:Adjustments:Main:JPY  12 JPY\n")
    assert.include(text, "    Expenses:Fees:Main:KWD  1.234 KWD\n")
  })

  it("a CSV has what a spreadsheet would run as text, and amounts as numbers", () => {
    const transactions = journalOf({ ...record, payment: { ...record.payment, reference: "=1+1" } }, [])
    assert.strictEqual(
      fileOf("csv", transactions.slice(1)),
      "date,transaction_id,subject,account,connection,amount,currency,payment_id,reference,payout_id,occurred,recorded\r\n" +
        "2026-11-03,evt_2,refund,Assets:Receivable:Main:EUR,main,-0.05,EUR,01a1fe08-9226-7266-a33a-e3e7f1609a4e,'=1+1,," +
        "2026-11-03T12:00:01.000Z,2026-11-03T12:00:01.000Z\r\n" +
        "2026-11-03,evt_2,refund,Income:Refunds:Main:EUR,main,0.05,EUR,01a1fe08-9226-7266-a33a-e3e7f1609a4e,'=1+1,," +
        "2026-11-03T12:00:01.000Z,2026-11-03T12:00:01.000Z\r\n"
    )
  })
})

/** As the configuration file accepts them. */
const connectionId = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u)
const nameOf = (id: string): string => accountName({ account: "receivable", connectionId: id, currency: "EUR" })

describe("names of accounts", () => {
  it.each([
    ["acquirer-eu", "Acquirer-eu"],
    ["stripe_eu", "Stripe-5Feu"],
    ["3c.de", "3c-2Ede"],
    ["Main", "0-2DMain"],
    ["a-5Fb", "A-2D5Fb"]
  ])("the account of the connection %s has %s", (id, part) => {
    assert.strictEqual(nameOf(id), `Assets:Receivable:${part}:EUR`)
  })

  it("any two connections have two names, which Beancount takes", () => {
    fc.assert(
      fc.property(connectionId, connectionId, (one, other) => {
        assert.match(nameOf(one), account)
        assert.strictEqual(nameOf(one) === nameOf(other), one === other)
      }),
      { numRuns: 2_000 }
    )
  })
})

/**
 * An account: parts with a colon between, each begins with a capital letter or a digit and has letters, digits and dashes;
 * the first is one of five (https://beancount.github.io/docs/beancount_language_syntax.html#accounts).
 */
const account = /^(?:Assets|Liabilities|Equity|Income|Expenses)(?::[A-Z0-9][A-Za-z0-9-]*)+$/u
const amount = /^-?\d+(?:\.\d+)? [A-Z]{3}$/u

/** Exact: the decimals of an amount are those of its currency, in this test two of 0, 2 and 3. */
const minorUnits = (text: string): bigint => BigInt((text.split(" ")[0] ?? "").replace(".", ""))

interface Read {
  readonly date: string
  readonly postings: ReadonlyArray<readonly [string, string]>
}

/** Strict: what it does not know is an error. Transactions are separated by an empty line, and lines are indented. */
const readJournal = (text: string, grammar: Grammar): ReadonlyArray<Read> => {
  const header = grammar.header
  assert.isTrue(text.startsWith(header) && (text.endsWith("\n\n") || text === header))
  const blocks = text.slice(header.length).split("\n\n").slice(0, -1)
  return blocks.map((block) => {
    const [head = "", ...lines] = block.split("\n")
    assert.match(head, grammar.head)
    const isMeta = lines.map((line) => grammar.meta.test(line))
    // Metadata of a transaction is before its first posting.
    assert.deepStrictEqual(
      isMeta,
      isMeta.toSorted((one, other) => Number(other) - Number(one))
    )
    const postings = lines
      .filter((line) => !grammar.meta.test(line))
      .map((line) => grammar.posting.exec(line)?.slice(1) ?? [])
    for (const [name = "", of = ""] of postings) {
      assert.match(name, account)
      assert.match(of, amount)
    }
    return { date: head.slice(0, 10), postings: postings as unknown as Read["postings"] }
  })
}

interface Grammar {
  readonly header: string
  readonly head: RegExp
  readonly meta: RegExp
  readonly posting: RegExp
}

const quoted = String.raw`"(?:[^"\\\n]|\\.)*"`

const grammars: Readonly<Record<"beancount" | "ledger", Grammar>> = {
  // https://beancount.github.io/docs/beancount_language_syntax.html: Transactions, Metadata, Strings
  beancount: {
    header: 'plugin "beancount.plugins.auto_accounts"\n\n',
    head: new RegExp(String.raw`^\d{4}-\d\d-\d\d \* ${quoted}$`, "u"),
    meta: new RegExp(`^ {2}[a-z][A-Za-z0-9_-]+: ${quoted}$`, "u"),
    posting: /^ {2}(\S+) {2}(\S+ \S+)$/u
  },
  // https://ledger-cli.org/doc/ledger3.html: Journal Format, Metadata values; two spaces end the name of an account.
  ledger: {
    header: "",
    head: /^\d{4}-\d\d-\d\d \* [^;()]+$/u,
    meta: /^ {4}; [a-z]+: .*$/u,
    posting: /^ {4}(\S+) {2}(\S+ \S+)$/u
  }
}

/** Whatever texts the merchant and the provider write. */
const texts = fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom('"', "\\", "\\n", "\n; a: b", "\u2028", "  ;"))

describe.each(["beancount", "ledger"] as const)("the grammar of %s", (format) => {
  it("a file has any texts, and each transaction adds up to zero", () => {
    fc.assert(
      fc.property(texts, texts, texts, connectionId, (reference, rowId, payoutId, id) => {
        const told = { ...record, payment: { ...record.payment, reference, connectionId: id } }
        const transactions = journalOf(
          told,
          rows.map((one) => ({ ...one, rowId: one.rowId + rowId, payoutId, connectionId: id }))
        )
        const read = readJournal(fileOf(format, transactions), grammars[format])
        assert.strictEqual(read.length, transactions.length)
        for (const { postings } of read) {
          const sums = new Map<string, bigint>()
          for (const [, of] of postings) {
            const currency = of.slice(-3)
            sums.set(currency, (sums.get(currency) ?? 0n) + minorUnits(of))
          }
          for (const sum of sums.values()) assert.strictEqual(sum, 0n)
        }
      }),
      { numRuns: 200 }
    )
  })

  it("control: a text that is not in it is refused", () => {
    const bad = fileOf(format, sample).replace("Assets:Receivable:Main:EUR", "Assets:receivable:Main:EUR")
    assert.throws(() => readJournal(bad, grammars[format]))
  })
})

/** The balance of one account, as the program itself reads the file; `undefined` where the machine does not have it. */
const programs = [
  { name: "bean-check", format: "beancount", args: (file: string) => [file], expected: /^$/u },
  {
    name: "hledger",
    format: "ledger",
    args: (file: string) => ["-f", file, "bal", "Assets:Receivable:Main:USD"],
    expected: /10\.55 USD/u
  },
  {
    name: "ledger",
    format: "ledger",
    args: (file: string) => ["-f", file, "bal", "Assets:Receivable:Main:USD"],
    expected: /10\.55 USD/u
  }
] as const

describe("the programs themselves", () => {
  const isMissing = (name: string): boolean => spawnSync(name, ["--version"]).status !== 0

  for (const { args, expected, format, name } of programs) {
    if (isMissing(name)) {
      it.skip(`${name} is not installed: what it makes of the file is not tested here`, () => {})
      continue
    }
    it(`${name} finds no mistake in a file of every kind of posting`, () => {
      const directory = mkdtempSync(join(tmpdir(), "books-"))
      try {
        const file = join(directory, "books.txt")
        writeFileSync(file, fileOf(format, sample))
        const { status, stderr, stdout } = spawnSync(name, args(file), { encoding: "utf8" })
        assert.deepStrictEqual([status, stderr], [0, ""])
        assert.match(stdout.trim(), expected)
      } finally {
        rmSync(directory, { recursive: true })
      }
    })
  }
})
