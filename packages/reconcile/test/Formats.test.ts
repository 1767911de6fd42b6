/** Rows as the providers' documentation has them, and what is particular to each format. */
import { assert, describe, it } from "@effect/vitest"
import type { ReportRow } from "@pointsman/core/connector"
import { formatNamed } from "@pointsman/reconcile"
import { Effect } from "effect"
import { entriesOfText } from "./support/Read.ts"

const read = (name: string, lines: ReadonlyArray<string>) => {
  const format = formatNamed(name)
  if (format === undefined) throw new Error(`no format ${name}`)
  return Effect.map(entriesOfText(lines.join("\n"), format), (entries) => entries.map(({ entry }) => entry))
}

/** A row in short: its kind, amounts, and names that are not null. */
const short = ({
  converted,
  fee,
  generatedAt,
  gross,
  id,
  kind,
  names,
  net,
  occurredAt,
  payoutId,
  settledAt
}: ReportRow) => ({
  id,
  kind,
  gross: `${gross.minorUnits} ${gross.currency}`,
  ...(converted === null ? {} : { converted: `${converted.minorUnits} ${converted.currency}` }),
  fee: fee === null ? null : `${fee.minorUnits} ${fee.currency}`,
  net: net === null ? null : `${net.minorUnits} ${net.currency}`,
  names: Object.fromEntries(Object.entries(names).filter(([, name]) => name !== null)),
  payoutId,
  at: new Date(occurredAt).toISOString(),
  settled: settledAt === null ? null : new Date(settledAt).toISOString(),
  ...(generatedAt === undefined ? {} : { generated: new Date(generatedAt).toISOString() })
})

const shortly = (name: string, lines: ReadonlyArray<string>) =>
  Effect.map(read(name, lines), (entries) =>
    entries.map((entry) =>
      entry._tag === "Row" ? short(entry.row) : `${entry.unreadable.field}: ${entry.unreadable.reason}`
    )
  )

describe("stripe-balance", () => {
  const header =
    "balance_transaction_id,created_utc,available_on_utc,currency,gross,fee,net,reporting_category,source_id,description,customer_facing_amount,customer_facing_currency,payment_intent_id,payment_metadata[attempt_id]"

  it.effect("both amounts of a charge in KWD paid out in EUR are exact", () =>
    Effect.gen(function* () {
      const lines = [
        header,
        "txn_1,2026-01-30 10:11:12,2026-02-01 00:00:00,eur,9.40,0.57,8.83,charge,ch_1,,3.120,kwd,pi_1,att_1",
        "txn_2,2026-01-30 10:11:12,,eur,-9.40,0,-9.40,refund,re_1,,3.120,kwd,pi_1,att_1",
        "txn_3,2026-01-30 10:11:12,,jpy,1200,43,1157,charge,ch_2,,1200,jpy,pi_2,"
      ]
      assert.deepStrictEqual(yield* shortly("stripe-balance", lines), [
        {
          id: "txn_1",
          kind: "charge",
          gross: "3120 KWD",
          converted: "940 EUR",
          fee: "57 EUR",
          net: "883 EUR",
          names: { attemptId: "att_1", providerRef: "pi_1" },
          payoutId: null,
          at: "2026-01-30T10:11:12.000Z",
          settled: "2026-02-01T00:00:00.000Z"
        },
        {
          id: "txn_2",
          kind: "refund",
          gross: "-3120 KWD",
          converted: "-940 EUR",
          fee: "0 EUR",
          net: "-940 EUR",
          names: { attemptId: "att_1", providerRef: "pi_1", providerRefundId: "re_1" },
          payoutId: null,
          at: "2026-01-30T10:11:12.000Z",
          settled: null
        },
        {
          id: "txn_3",
          kind: "charge",
          gross: "1200 JPY",
          fee: "43 JPY",
          net: "1157 JPY",
          names: { providerRef: "pi_2" },
          payoutId: null,
          at: "2026-01-30T10:11:12.000Z",
          settled: null
        }
      ])
    })
  )

  it.effect.each<readonly [string, string]>([
    ["charge_failure", "charge_failed"],
    ["partial_capture_reversal", "charge_failed"],
    ["refund_failure", "refund_failed"],
    ["dispute", "dispute"],
    ["dispute_reversal", "dispute_reversed"],
    ["fee", "fee"],
    ["payout", "payout"],
    ["payout_reversal", "payout_failed"],
    ["risk_reserved_funds", "adjustment"],
    ["a category of next year", "adjustment"]
  ])("the category %s is a row of the kind %s", ([category, kind]) =>
    Effect.gen(function* () {
      const [entry] = yield* read("stripe-balance", [
        header,
        `txn_1,2026-01-30 10:11:12,,eur,-5,0,-5,${category},po_1,,,,,`
      ])
      assert.strictEqual<unknown>(entry?._tag === "Row" && entry.row.kind, kind)
    })
  )

  it.effect.each<readonly [string, string]>([
    ["txn_1,2026-01-30 10:11:12,,eur,25,0.95,24.06,charge,,,,,,", "net: expected the amount without the fee"],
    [
      "txn_1,2026-01-30 10:11:12,,eur,25.001,0,25.001,charge,,,,,,",
      "gross: expected a decimal amount with no more decimals than EUR has"
    ],
    [
      "txn_1,2026-01-30 10:11:12,,jpy,25.5,0,25.5,charge,,,,,,",
      "gross: expected a decimal amount with no more decimals than JPY has"
    ],
    [
      "txn_1,2026-01-30 10:11:12,,eur,,0,0,charge,,,,,,",
      "gross: expected a decimal amount with no more decimals than EUR has"
    ],
    [
      "txn_1,2026-01-30 10:11:12,,eur,1e3,0,1e3,charge,,,,,,",
      "gross: expected a decimal amount with no more decimals than EUR has"
    ],
    [
      "txn_1,2026-01-30 10:11:12,,eur,99999999999999.99,0,99999999999999.99,charge,,,,,,",
      "gross: expected a decimal amount with no more decimals than EUR has"
    ],
    ["txn_1,2026-01-30 10:11:12,,xyz,25,0,25,charge,,,,,,", "currency: expected a currency code of ISO 4217"],
    [
      "txn_1,30.01.2026,,eur,25,0,25,charge,,,,,,",
      "created_utc: expected a date and time in a known time zone, such as 2026-01-31 12:00:00"
    ],
    [
      "txn_1,2026-02-30 10:11:12,,eur,25,0,25,charge,,,,,,",
      "created_utc: expected a date and time in a known time zone, such as 2026-01-31 12:00:00"
    ],
    [",2026-01-30 10:11:12,,eur,25,0,25,charge,,,,,,", "balance_transaction_id: expected a text, found an empty cell"],
    ["txn_1,2026-01-30 10:11:12,,eur,25,0,25,,,,,,,", "reporting_category: expected a text, found an empty cell"],
    [`${"x".repeat(256)},2026-01-30 10:11:12,,eur,25,0,25,charge,,,,,,`, "id: expected 1 to 255 characters"]
  ])("the row %s is unreadable at %s in this format", ([line, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* shortly("stripe-balance", [header, line]), [expected])
    })
  )
})

describe("adyen-settlement-details", () => {
  const header =
    "Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Payment Method Variant,Modification Merchant Reference,Batch Number"

  it.effect("fees in the rows of Adyen's page are what is missing from the net amounts", () =>
    Effect.gen(function* () {
      // https://docs.adyen.com/reporting/settlement-reconciliation/transaction-level/settlement-details-report, "Structure".
      const lines = [
        header,
        "TestCompany,TestMerchant,1813702551707653,3vpzf7,visa,2013-06-03 11:26:49,CET,Settled,1713702551795048,GBP,,5.00,1,GBP,,4.88,,0.04,0.01,0.07,visaclassic,,4",
        "TestCompany,TestMerchant,1313642467023511,324959451,visa,2013-03-26 22:37:26,CET,Chargeback,2313642467170922,EUR,349.99,,1,EUR,357.49,,7.5,,,,visaclassic,,4"
      ]
      assert.deepStrictEqual(yield* shortly("adyen-settlement-details", lines), [
        {
          id: "Settled.1713702551795048.GBP500",
          kind: "charge",
          gross: "500 GBP",
          fee: "12 GBP",
          net: "488 GBP",
          names: { providerRef: "1813702551707653", reference: "3vpzf7" },
          payoutId: "TestMerchant/4",
          at: "2013-06-03T10:26:49.000Z",
          settled: null
        },
        {
          id: "Chargeback.2313642467170922.EUR-34999",
          kind: "dispute",
          gross: "-34999 EUR",
          fee: "750 EUR",
          net: "-35749 EUR",
          names: { providerRef: "1313642467023511", disputeId: "2313642467170922", reference: "324959451" },
          payoutId: "TestMerchant/4",
          at: "2013-03-26T21:37:26.000Z",
          settled: null
        }
      ])
    })
  )

  const line = (cells: {
    readonly type?: string
    readonly time?: string
    readonly money?: string
    readonly fees?: string
  }) =>
    `C,M,PSP1,att_1.held,visa,${cells.time ?? "2026-01-05 12:00:00,CET"},${cells.type ?? "Settled"},MOD1,${cells.money ?? "EUR,,10.00,1,EUR,,9.50"},${cells.fees ?? "0.50,,,"},,,7`

  it.effect.each<readonly [string, string]>([
    ["2026-01-05 12:00:00,UTC", "2026-01-05T12:00:00.000Z"],
    ["2026-01-05 12:00:00,PST", "2026-01-05T20:00:00.000Z"],
    ["2026-07-05 12:00:00,CEST", "2026-07-05T10:00:00.000Z"],
    ["2026-07-05 12:00:00,BST", "2026-07-05T11:00:00.000Z"],
    ["2026-07-05 12:00:00,Europe/Zurich", "2026-07-05T10:00:00.000Z"],
    ["2026-01-05 12:00:00,Europe/Zurich", "2026-01-05T11:00:00.000Z"],
    ["2026-01-05 12:30:00,Asia/Kolkata", "2026-01-05T07:00:00.000Z"]
  ])("the time %s is %s", ([time, at]) =>
    Effect.gen(function* () {
      const [entry] = yield* read("adyen-settlement-details", [header, line({ time })])
      assert.strictEqual(entry?._tag === "Row" && new Date(entry.row.occurredAt).toISOString(), at)
    })
  )

  it.effect.each<readonly [string, Parameters<typeof line>[0], string]>([
    [
      "fees that do not make up the difference",
      { fees: "0.49,,," },
      "Commission (NC): expected fees that make up the difference"
    ],
    [
      "an unknown time zone",
      { time: "2026-01-05 12:00:00,XST" },
      "Creation Date: expected a date and time in a known time zone, such as 2026-01-31 12:00:00"
    ],
    [
      "an unknown place",
      { time: "2026-01-05 12:00:00,Europe/Nowhere" },
      "Creation Date: expected a date and time in a known time zone, such as 2026-01-31 12:00:00"
    ],
    ["no amount at all", { money: "EUR,,,1,EUR,," }, "Net Credit (NC): expected an amount"]
  ])("%s makes the row unreadable", ([, cells, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* shortly("adyen-settlement-details", [header, line(cells)]), [expected])
    })
  )

  it.effect("fractional fees, another payer and a type of next year drop no row", () =>
    Effect.gen(function* () {
      const entries = yield* read("adyen-settlement-details", [
        header,
        line({ fees: "0.1049,0.3951,0.004,-0.004" }),
        line({ type: "SettledExternally", money: "EUR,,10.00,,,,", fees: ",,," }),
        line({ type: "SettledOtherwise" }),
        'C,M,,,,2026-01-05 12:00:00,CET,MerchantPayout,"TX1 batch 7, M",,,,,EUR,28.50,,,,,,,,7',
        "C,M,,,,2026-01-05 12:00:00,CET,Fee,Transaction Fees January,,,,,EUR,1.00,,,,,,,,7",
        "C,M,,,,2026-01-05 12:00:00,CET,Fee,Transaction Fees January,,,,,EUR,1.00,,,,,,,,7"
      ])
      const rows = entries.flatMap((entry) => (entry._tag === "Row" ? [entry.row] : []))
      assert.deepStrictEqual(
        rows.map(({ fee, kind, net }) => [kind, fee?.minorUnits ?? null, net?.minorUnits ?? null]),
        [
          ["charge", 50, 950],
          ["charge", null, null],
          ["adjustment", 50, 950],
          ["payout", 0, -2850],
          ["fee", 0, -100],
          ["fee", 0, -100]
        ]
      )
      const [first = "", second = ""] = rows.slice(-2).map(({ id }) => id)
      assert.match(first, /^Fee\.[0-9a-f]{32}$/u)
      assert.strictEqual(second, `${first}.2`)
    })
  )
})

describe("adyen-payment-accounting", () => {
  const header =
    "Merchant Account,Psp Reference,Merchant Reference,Booking Date,TimeZone,Record Type,Payment Currency,Captured (PC),Settlement Currency,Payable (SC),Commission (SC),Markup (SC),Scheme Fees (SC),Interchange (SC),Modification Psp Reference,Modification Merchant Reference"

  it.effect("rows whose statuses change what is payable are read with their money", () =>
    Effect.gen(function* () {
      const lines = [
        header,
        "M,PSP1,att_1.held,2026-01-05 12:00:00,UTC,Authorised,EUR,,,,,,,,,",
        "M,PSP1,att_1.held,2026-01-05 12:00:00,UTC,SentForSettle,EUR,100.00,,,,,,,MOD1,",
        "M,PSP1,att_1.held,2026-01-06 12:00:00,UTC,Settled,EUR,-100.00,EUR,96.00,1.00,0.50,0.50,2.00,MOD1,att_1.take.0198f7c20a1b7c3d8e4f5a6b7c8d9e0f",
        "M,PSP1,att_1.held,2026-01-07 12:00:00,UTC,Refunded,EUR,40.00,EUR,-40.00,,,,,MOD2,rf_1",
        "M,PSP1,att_1.held,2026-01-08 12:00:00,UTC,Chargeback,EUR,,EUR,-67.50,7.50,,,,MOD3,",
        "M,PSP1,att_1.held,2026-01-08 12:00:00,UTC,NewRegister,EUR,1.00,EUR,-1.00,,,,,MOD4,"
      ]
      const rows = (yield* shortly("adyen-payment-accounting", lines)).map((row) =>
        typeof row === "string"
          ? row
          : { kind: row.kind, gross: row.gross, fee: row.fee, net: row.net, names: row.names }
      )
      const attempt = { attemptId: "att_1", providerRef: "PSP1" }
      assert.deepStrictEqual(rows, [
        {
          kind: "charge",
          gross: "10000 EUR",
          fee: "400 EUR",
          net: "9600 EUR",
          names: { ...attempt, operationId: "op_0198f7c2-0a1b-7c3d-8e4f-5a6b7c8d9e0f" }
        },
        {
          kind: "refund",
          gross: "-4000 EUR",
          fee: "0 EUR",
          net: "-4000 EUR",
          names: { ...attempt, refundId: "rf_1", providerRefundId: "MOD2" }
        },
        {
          kind: "dispute",
          gross: "-6000 EUR",
          fee: "750 EUR",
          net: "-6750 EUR",
          names: { ...attempt, disputeId: "MOD3" }
        },
        { kind: "adjustment", gross: "-100 EUR", fee: "0 EUR", net: "-100 EUR", names: attempt }
      ])
    })
  )
})

describe("paypal-settlement", () => {
  const columns =
    "CH,Transaction ID,Invoice ID,PayPal Reference ID,PayPal Reference ID Type,Transaction Event Code,Transaction Initiation Date,Transaction Completion Date,Transaction  Debit or Credit,Gross Transaction Amount,Gross Transaction Currency,Fee Debit or Credit,Fee Amount,Fee Currency,Custom Field,Consumer ID"
  const time = "2026/01/06 00:00:30 -0800"
  const body = (code: string, money: string, names = ",") =>
    `SB,TX1,${names.split(",")[0]},CAP1,TXN,${code},${time},${time},${money},${names.split(",")[1]},YM2C`

  it.effect("amounts of sections with own columns go by their debit or credit", () =>
    Effect.gen(function* () {
      const rows = yield* shortly("paypal-settlement", [
        "RH,2026/01/07 04:00:00 -0800,A,MERCHANT,011",
        "SH,2026/01/06 00:00:00 -0800,2026/01/06 23:59:59 -0800,MERCHANT,",
        columns,
        body("T0006", "CR,5200,AUD,DR,225,AUD", "att_1,att_1"),
        body("T1107", "DR,5200,AUD,CR,175,AUD", ",rf_1"),
        body("T0006", "CR,5000,HUF,DR,100,HUF", "op_1,"),
        body("T1300", "CR,9999,EUR,,,"),
        "SF,AUD,1,2",
        columns.replaceAll(" ", ""),
        body("T0400", "DR,4949,AUD,,,"),
        body("T9999", "DR,1,EUR,,,"),
        "RF,AUD,1,2"
      ])
      assert.deepStrictEqual(
        rows.map((row) =>
          typeof row === "string" ? row : [row.kind, row.gross, row.fee, row.net, row.names, row.payoutId]
        ),
        [
          ["charge", "5200 AUD", "225 AUD", "4975 AUD", { attemptId: "att_1" }, null],
          ["refund", "-5200 AUD", "-175 AUD", "-5025 AUD", { refundId: "rf_1", providerRefundId: "TX1" }, null],
          ["charge", "500000 HUF", "10000 HUF", "490000 HUF", { operationId: "op_1" }, null],
          ["payout", "-4949 AUD", "0 AUD", "-4949 AUD", {}, "TX1"],
          ["adjustment", "-1 EUR", "0 EUR", "-1 EUR", {}, null]
        ]
      )
      assert.strictEqual(typeof rows[0] === "object" && rows[0].at, "2026-01-06T08:00:30.000Z")
      assert.deepStrictEqual(
        rows.map((row) => typeof row === "object" && row.generated),
        Array(5).fill("2026-01-07T12:00:00.000Z")
      )
    })
  )

  it.effect.each<readonly [string, string]>([
    ["T1110 DR", "adjustment"],
    ["T1111 CR", "adjustment"],
    ["T1106 DR", "dispute"],
    ["T1201 DR", "dispute"],
    ["T1202 CR", "dispute_reversed"],
    ["T1107 CR", "refund_failed"],
    ["T0106 DR", "fee"],
    ["T1101 CR", "payout_failed"],
    ["T0001 DR", "adjustment"],
    ["T0200 CR", "adjustment"]
  ])("the code and direction %s are a row of the kind %s", ([code, kind]) =>
    Effect.gen(function* () {
      const [event = "", direction = ""] = code.split(" ")
      const [entry] = yield* read("paypal-settlement", ["SH,,,,", columns, body(event, `${direction},100,EUR,,,`)])
      assert.strictEqual<unknown>(entry?._tag === "Row" && entry.row.kind, kind)
    })
  )

  it.effect.each<readonly [string, ReadonlyArray<string>, string]>([
    [
      "a row before its columns",
      ["SH,,,,", body("T0006", "CR,1,EUR,,,")],
      "CH: expected this column in a record of columns (CH) before the row"
    ],
    [
      "columns without the amount",
      [columns.replace("Gross Transaction Amount", "Amount"), body("T0006", "CR,1,EUR,,,")],
      "Gross Transaction Amount: expected this column in a record of columns (CH) before the row"
    ],
    ["an unknown kind of record", [columns, "XX,1"], "column 1: expected the kind of record, such as SB"],
    [
      "an amount with decimals",
      [columns, body("T0006", "CR,52.00,EUR,,,")],
      "Gross Transaction Amount: expected digits, in the smallest unit of the currency"
    ],
    ["no direction", [columns, body("T0006", ",5200,EUR,,,")], "Transaction Debit or Credit: expected CR or DR"],
    [
      "a fee in another currency",
      [columns, body("T0006", "CR,5200,EUR,DR,1,USD")],
      "Fee Currency: expected the currency of the amount"
    ]
  ])("%s makes the row of this format unreadable", ([, lines, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* shortly("paypal-settlement", lines), [expected])
    })
  )
})

describe("mollie-settlement", () => {
  const header =
    "Date,Payment method,Currency,Amount,Status,ID,Description,Consumer name,Consumer bank account,Consumer BIC,Settlement currency,Settlement amount,Settlement reference,Amount refunded"
  const end = ",,,,EUR,"

  it.effect("payments, a capture, returned money and fees are each of their kind", () =>
    Effect.gen(function* () {
      const rows = yield* shortly("mollie-settlement", [
        header,
        `2026-07-01 10:12:00,ideal,EUR,100.00,paidout,tr_1,Order 1001${end}100.00,1234567.2610.01,`,
        `2026-10-01T10:12:00+00:00,creditcard,GBP,50.00,paidout,cpt_1,Original payment: tr_2 - Order 1002${end}57.50,1234567.2610.01,`,
        `2026-10-03 09:00:00,refund,EUR,-20.00,refunded,re_1,Refund${end}-20.00,1234567.2610.01,`,
        `2026-10-03 09:00:00,refund,EUR,20.00,failed,re_1,Refund${end}20.00,1234567.2610.01,`,
        `2026-10-03 09:00:00,chargeback,EUR,-10.00,,chb_1,${end}-10.00,1234567.2610.01,`,
        `2026-10-03 09:00:00,chargeback,EUR,-10.00,,tr_1,${end}-10.00,1234567.2610.01,`,
        `2026-10-04 00:00:00,,EUR,-2.88,paidout,,Withheld transaction fees MOL-2026-0001${end}-2.88,1234567.2610.01,`,
        `2026-10-04 00:00:00,,EUR,-5.00,paidout,,Rolling reserve${end}-5.00,1234567.2610.01,`
      ])
      assert.deepStrictEqual(
        rows.map((row) =>
          typeof row === "string" ? row : [row.id.replace(/[0-9a-f]{32}/u, "…"), row.kind, row.gross, row.names]
        ),
        [
          ["tr_1", "charge", "10000 EUR", { providerRef: "tr_1", reference: "Order 1001" }],
          ["cpt_1", "charge", "5000 GBP", { providerRef: "tr_2" }],
          ["re_1", "refund", "-2000 EUR", { providerRefundId: "re_1" }],
          ["re_1.refund_failed", "refund_failed", "2000 EUR", { providerRefundId: "re_1" }],
          ["chb_1", "dispute", "-1000 EUR", { disputeId: "chb_1" }],
          ["tr_1.dispute", "dispute", "-1000 EUR", { providerRef: "tr_1" }],
          ["fee.…", "fee", "-288 EUR", {}],
          ["adjustment.…", "adjustment", "-500 EUR", {}]
        ]
      )
      const times = rows.map((row) => (typeof row === "string" ? row : row.at))
      assert.deepStrictEqual(times.slice(0, 2), ["2026-07-01T08:12:00.000Z", "2026-10-01T10:12:00.000Z"])
      assert.strictEqual(typeof rows[1] === "object" && rows[1].converted, "5750 EUR")
      assert.strictEqual(typeof rows[0] === "object" && rows[0].fee, null)
    })
  )
})

describe("checkout-financial-actions", () => {
  const header =
    "Action Type,Action ID,Payment ID,Reference,Processed On,Timezone,Processing Currency,Holding Currency,Payout ID,Breakdown Type,Processing Currency Amount,Holding Currency Amount"
  const line = (part: string, processed: string, held: string, currency = "GBP", time = "2026-07-09T18:07:06.844,") =>
    `Capture,act_1,pay_1,,${time},${currency},GBP,PO1,${part},${processed},${held}`

  it.effect("fees in fractions of a penny make up the exact sum, and no row is off by one", () =>
    Effect.gen(function* () {
      const fees = Array.from({ length: 250 }, (_, index) => `-0.${12_345_678 + index * 77_777}`)
      const exact = fees.reduce((sum, fee) => sum + BigInt(fee.replace("-0.", "-")), 0n)
      const entries = yield* read("checkout-financial-actions", [
        header,
        line("Capture", "50.00", "50.00000000"),
        ...fees.map((fee) => line("Scheme Variable Fee", "", fee)),
        line("Capture", "20.00", "20.00")
      ])
      const units = entries.map((entry) => (entry._tag === "Row" ? (entry.row.net?.minorUnits ?? 0) : Number.NaN))
      assert.deepStrictEqual([units[0], units[units.length - 1]], [5_000, 2_000])
      let sum = 0n
      fees.forEach((fee, index) => {
        sum += BigInt(fee.replace("-0.", "-"))
        const read = units.slice(1, index + 2).reduce((total, unit) => total + unit, 0)
        assert.isBelow(Math.abs(Number(sum) / 1_000_000 - read), 1)
      })
      assert.strictEqual(
        units.reduce((total, unit) => total + unit, 0),
        7_000 + Number(exact / 1_000_000n)
      )
    })
  )

  it.effect("other currencies, disputes, a void and a time zone are each of their kind", () =>
    Effect.gen(function* () {
      const rows = yield* shortly("checkout-financial-actions", [
        header,
        line("Capture", "100", "0.52", "JPY"),
        line("Partial Refund", "-10.00", "-10.00"),
        line("Chargeback (First)", "-10.00", "-10.00"),
        line("Chargeback (Reversal)", "10.00", "10.00"),
        line("Void", "0", "0"),
        line("Scheme Fixed Fee Tax", "", "-1.00", "EUR", "2026-07-09 18:00:00,Europe/London"),
        line("Payout", "", "-40.00"),
        line("Rolling Reserve Reservation", "-1.00", "-1.00")
      ])
      assert.deepStrictEqual(
        rows.map((row) =>
          typeof row === "string" ? row : [row.id, row.kind, row.gross, row.converted ?? null, row.net]
        ),
        [
          ["act_1.Capture", "charge", "100 JPY", "52 GBP", "52 GBP"],
          ["act_1.Partial Refund", "refund", "-1000 GBP", null, "-1000 GBP"],
          ["act_1.Chargeback (First)", "dispute", "-1000 GBP", null, "-1000 GBP"],
          ["act_1.Chargeback (Reversal)", "dispute_reversed", "1000 GBP", null, "1000 GBP"],
          ["act_1.Scheme Fixed Fee Tax", "fee", "-100 GBP", null, "-100 GBP"],
          ["act_1.Payout", "payout", "-4000 GBP", null, "-4000 GBP"],
          ["act_1.Rolling Reserve Reservation", "adjustment", "-100 GBP", null, "-100 GBP"]
        ]
      )
      assert.strictEqual(typeof rows[4] === "object" && rows[4].at, "2026-07-09T17:00:00.000Z")
      assert.strictEqual(typeof rows[0] === "object" && rows[0].at, "2026-07-09T18:07:06.844Z")
    })
  )

  it.effect.each<readonly [string, string]>([
    [
      line("Capture", "50.00", "49.99"),
      "Holding Currency Amount: expected the amount of the other column, in the same currency"
    ],
    [
      line("Capture", "50.001", "50.001"),
      "Processing Currency Amount: expected a decimal amount with no more decimals than GBP has"
    ],
    [line("Scheme Fixed Fee", "", "much"), "Holding Currency Amount: expected a decimal amount"]
  ])("the row %s is unreadable at %s", ([text, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* shortly("checkout-financial-actions", [header, text]), [expected])
    })
  )
})

describe("http", () => {
  const header = "row_id,kind,gross,currency,occurred_at,payout_currency,converted,fee,net"
  const at = "2026-01-31T12:00:00Z"

  it.effect("a row has the report's time, and one without an offset is refused", () =>
    Effect.gen(function* () {
      const rows = ["2026-02-01T01:00:00+01:00", "", "2026-02-01"].map((time) => `1,payout,-1,EUR,${at},${time}`)
      const read = yield* shortly("http", ["row_id,kind,gross,currency,occurred_at,generated_at", ...rows])
      assert.deepStrictEqual(
        read.map((one) => (typeof one === "string" ? one : (one.generated ?? null))),
        [
          "2026-02-01T00:00:00.000Z",
          null,
          "generated_at: expected a time with its offset, such as 2026-01-31T12:00:00Z"
        ]
      )
    })
  )

  it.effect.each<readonly [string, string]>([
    [
      `1,sale,100,EUR,${at},,,,`,
      "kind: expected one of charge, charge_failed, refund, refund_failed, dispute, dispute_reversed, fee, payout, payout_failed, adjustment"
    ],
    [`1,charge,1.00,EUR,${at},,,,`, "gross: expected a whole number of minor units"],
    [`1,charge,9007199254740993,EUR,${at},,,,`, "gross: expected a whole number of minor units"],
    [
      "1,charge,100,EUR,2026-01-31T12:00:00,,,,",
      "occurred_at: expected a time with its offset, such as 2026-01-31T12:00:00Z"
    ],
    [
      "1,charge,100,EUR,2026-01-31T25:00:00Z,,,,",
      "occurred_at: expected a date and time in a known time zone, such as 2026-01-31 12:00:00"
    ],
    ...["charge,-100", "charge,0", "charge_failed,100", "refund,100", "refund_failed,-1", "dispute,1"].map(
      (cells) =>
        [
          `1,${cells},EUR,${at},,,,`,
          "gross: expected an amount above 0 where money comes, and below 0 where it leaves"
        ] as const
    ),
    [`1,charge,100,EUR,${at},,,5,`, "net: expected fee and net, or neither"],
    [`1,charge,100,EUR,${at},,,,95`, "fee: expected fee and net, or neither"],
    [`1,charge,100,EUR,${at},,,5,96`, "net: expected the amount without the fee"],
    [
      `1,charge,100,EUR,${at},USD,,5,95`,
      "converted: expected an amount where payout_currency is another currency than currency, and none else"
    ],
    [
      `1,charge,100,EUR,${at},EUR,100,5,95`,
      "converted: expected an amount where payout_currency is another currency than currency, and none else"
    ]
  ])("the row %s of this format is unreadable at %s", ([line, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* shortly("http", [header, line]), [expected])
    })
  )

  it.effect("the least columns leave null what the row does not say", () =>
    Effect.gen(function* () {
      const rows = yield* shortly("http", [
        "occurred_at,currency,gross,kind,row_id",
        "2026-01-31T12:00:00+01:00,JPY,-0,adjustment,1"
      ])
      assert.deepStrictEqual(rows, [
        {
          id: "1",
          kind: "adjustment",
          gross: "0 JPY",
          fee: null,
          net: null,
          names: {},
          payoutId: null,
          at: "2026-01-31T11:00:00.000Z",
          settled: null
        }
      ])
    })
  )
})

describe("money", () => {
  const header = "row_id,kind,gross,currency,occurred_at,fee,net"
  const stripeHeader = "balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category"

  it.effect("a row whose net amount is off by a cent is not taken", () =>
    Effect.gen(function* () {
      const line = "1,charge,1000,EUR,2026-01-31T12:00:00Z,50,951"
      assert.deepStrictEqual(yield* shortly("http", [header, line]), ["net: expected the amount without the fee"])
    })
  )

  it.effect("an amount of more decimals than its currency has is not cut", () =>
    Effect.gen(function* () {
      const line = "txn_1,2026-01-30 10:11:12,eur,25.009,0,25.009,charge"
      assert.deepStrictEqual(yield* shortly("stripe-balance", [stripeHeader, line]), [
        "gross: expected a decimal amount with no more decimals than EUR has"
      ])
      const zeros = "txn_1,2026-01-30 10:11:12,eur,25.000,0,25,charge"
      const [row] = yield* shortly("stripe-balance", [stripeHeader, zeros])
      assert.strictEqual(typeof row === "object" && row.gross, "2500 EUR")
    })
  )
})
