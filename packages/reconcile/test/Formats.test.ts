/** Rows as the providers' documentation has them, and what is particular to each format. */
import { assert, describe } from "@effect/vitest"
import type { ReportRow, SignedMoney } from "@pointsman/core/connector"
import { Effect } from "effect"
import { entriesOfText, itRuns, named } from "./support/Read.ts"

const read = (name: string, lines: ReadonlyArray<string>) =>
  Effect.map(entriesOfText(lines.join("\n"), named(name)), (entries) => entries.map(({ entry }) => entry))

const moneyText = (money: SignedMoney | null) => (money === null ? "-" : `${money.minorUnits} ${money.currency}`)
const timeText = (time: number | null | undefined) =>
  time === null || time === undefined ? "-" : new Date(time).toISOString()

/** A row as texts, `-` for what it does not say; with the names that are not null. */
const textsOf = ({
  converted,
  fee,
  generatedAt,
  gross,
  names,
  net,
  occurredAt,
  payoutId,
  settledAt,
  ...row
}: ReportRow) => ({
  ...row,
  gross: moneyText(gross),
  converted: moneyText(converted),
  fee: moneyText(fee),
  net: moneyText(net),
  names: Object.entries(names)
    .flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
    .join(", "),
  payoutId: payoutId ?? "-",
  at: timeText(occurredAt),
  settled: timeText(settledAt),
  generated: timeText(generatedAt)
})

/** Of each row these fields, in one line; of one that cannot be read what is wrong with it. */
const told = (name: string, lines: ReadonlyArray<string>, ...fields: ReadonlyArray<keyof ReturnType<typeof textsOf>>) =>
  Effect.map(read(name, lines), (entries) =>
    entries.map((entry) => {
      if (entry._tag === "Unreadable") return `${entry.unreadable.field}: ${entry.unreadable.reason}`
      const texts = textsOf(entry.row)
      return fields.map((field) => texts[field]).join(" | ")
    })
  )

/** By what is wrong with a row: the lines until it, and what is reported of it. */
const areUnreadable = (
  name: string,
  rows: ReadonlyArray<readonly [what: string, lines: ReadonlyArray<string>, reported: string]>
) => {
  for (const [what, lines, reported] of rows) {
    itRuns(`a row with ${what} is unreadable`, function* () {
      assert.deepStrictEqual(yield* told(name, lines), [reported])
    })
  }
}

const areOfKinds = (
  name: string,
  rows: ReadonlyArray<readonly [what: string, line: string, kind: string]>,
  ...before: ReadonlyArray<string>
) => {
  for (const [what, line, kind] of rows) {
    itRuns(`${what} is a row of the kind ${kind}`, function* () {
      assert.deepStrictEqual(yield* told(name, [...before, line], "kind"), [kind])
    })
  }
}

const noDecimals = (currency: string) => `expected a decimal amount with no more decimals than ${currency} has`
const noTime = "expected a date and time in a known time zone, such as 2026-01-31 12:00:00"

describe("stripe-balance", () => {
  const header =
    "balance_transaction_id,created_utc,available_on_utc,currency,gross,fee,net,reporting_category,source_id,description,customer_facing_amount,customer_facing_currency,payment_intent_id,payment_metadata[attempt_id]"

  itRuns("both amounts of a charge in KWD paid out in EUR are exact", function* () {
    const lines = [
      header,
      "txn_1,2026-01-30 10:11:12,2026-02-01 00:00:00,eur,9.40,0.57,8.83,charge,ch_1,,3.120,kwd,pi_1,att_1",
      "txn_2,2026-01-30 10:11:12,,eur,-9.40,0,-9.40,refund,re_1,,3.120,kwd,pi_1,att_1",
      "txn_3,2026-01-30 10:11:12,,jpy,1200,43,1157,charge,ch_2,,1200,jpy,pi_2,",
      "txn_4,2026-01-30 10:11:12,,eur,25.000,0,25,charge,ch_3,,,,pi_3,"
    ]
    assert.deepStrictEqual(yield* told("stripe-balance", lines, "kind", "gross", "converted", "fee", "net", "names"), [
      "charge | 3120 KWD | 940 EUR | 57 EUR | 883 EUR | attemptId att_1, providerRef pi_1",
      "refund | -3120 KWD | -940 EUR | 0 EUR | -940 EUR | attemptId att_1, providerRef pi_1, providerRefundId re_1",
      "charge | 1200 JPY | - | 43 JPY | 1157 JPY | providerRef pi_2",
      "charge | 2500 EUR | - | 0 EUR | 2500 EUR | providerRef pi_3"
    ])
    const [first, second] = yield* told("stripe-balance", lines, "id", "payoutId", "at", "settled")
    assert.strictEqual(first, "txn_1 | - | 2026-01-30T10:11:12.000Z | 2026-02-01T00:00:00.000Z")
    assert.strictEqual(second, "txn_2 | - | 2026-01-30T10:11:12.000Z | -")
  })

  const of = (category: string) => `txn_1,2026-01-30 10:11:12,,eur,-5,0,-5,${category},po_1,,,,,`
  areOfKinds(
    "stripe-balance",
    [
      ["a reversal of a part of a capture", of("partial_capture_reversal"), "charge_failed"],
      ["a reversal of a payout", of("payout_reversal"), "payout_failed"],
      ["a reserve", of("risk_reserved_funds"), "adjustment"],
      ["a category of next year", of("a category of next year"), "adjustment"]
    ],
    header
  )

  const charge = (currency: string, gross: string, fee = "0", net = gross) => [
    header,
    `txn_1,2026-01-30 10:11:12,,${currency},${gross},${fee},${net},charge,,,,,,`
  ]
  const plain = (id: string, time: string, category: string) => [header, `${id},${time},,eur,25,0,25,${category},,,,,,`]
  const at = "2026-01-30 10:11:12"
  areUnreadable("stripe-balance", [
    [
      "a net amount that is off by a cent",
      charge("eur", "25", "0.95", "24.06"),
      "net: expected the amount without the fee"
    ],
    ["a part of a cent", charge("eur", "25.001"), `gross: ${noDecimals("EUR")}`],
    ["a part of a yen", charge("jpy", "25.5"), `gross: ${noDecimals("JPY")}`],
    ["no amount", charge("eur", "", "0", "0"), `gross: ${noDecimals("EUR")}`],
    ["an exponent", charge("eur", "1e3"), `gross: ${noDecimals("EUR")}`],
    ["more than a number holds", charge("eur", "99999999999999.99"), `gross: ${noDecimals("EUR")}`],
    ["an unknown currency", charge("xyz", "25"), "currency: expected a currency code of ISO 4217"],
    ["a time of another form", plain("txn_1", "30.01.2026", "charge"), `created_utc: ${noTime}`],
    ["the 30th of February", plain("txn_1", "2026-02-30 10:11:12", "charge"), `created_utc: ${noTime}`],
    ["no id", plain("", at, "charge"), "balance_transaction_id: expected a text, found an empty cell"],
    ["no category", plain("txn_1", at, ""), "reporting_category: expected a text, found an empty cell"],
    ["a long id", plain("x".repeat(256), at, "charge"), "id: expected 1 to 255 characters"]
  ])
})

describe("adyen-settlement-details", () => {
  const header =
    "Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Payment Method Variant,Modification Merchant Reference,Batch Number"

  itRuns("fees in the rows of Adyen's page are what is missing from the net amounts", function* () {
    // https://docs.adyen.com/reporting/settlement-reconciliation/transaction-level/settlement-details-report, "Structure".
    const lines = [
      header,
      "TestCompany,TestMerchant,1813702551707653,3vpzf7,visa,2013-06-03 11:26:49,CET,Settled,1713702551795048,GBP,,5.00,1,GBP,,4.88,,0.04,0.01,0.07,visaclassic,,4",
      "TestCompany,TestMerchant,1313642467023511,324959451,visa,2013-03-26 22:37:26,CET,Chargeback,2313642467170922,EUR,349.99,,1,EUR,357.49,,7.5,,,,visaclassic,,4"
    ]
    const format = "adyen-settlement-details"
    assert.deepStrictEqual(yield* told(format, lines, "id", "kind", "gross", "fee", "net", "payoutId"), [
      "Settled.1713702551795048.GBP500 | charge | 500 GBP | 12 GBP | 488 GBP | TestMerchant/4",
      "Chargeback.2313642467170922.EUR-34999 | dispute | -34999 EUR | 750 EUR | -35749 EUR | TestMerchant/4"
    ])
    assert.deepStrictEqual(yield* told(format, lines, "names", "at", "settled"), [
      "providerRef 1813702551707653, reference 3vpzf7 | 2013-06-03T10:26:49.000Z | -",
      "providerRef 1313642467023511, disputeId 2313642467170922, reference 324959451 | 2013-03-26T21:37:26.000Z | -"
    ])
  })

  const line = ({
    fees = "0.50,,,",
    money = "EUR,,10.00,1,EUR,,9.50",
    time = "2026-01-05 12:00:00,CET",
    type = "Settled"
  }) => `C,M,PSP1,att_1.held,visa,${time},${type},MOD1,${money},${fees},,,7`

  for (const [time, at] of [
    ["2026-01-05 12:00:00,UTC", "2026-01-05T12:00:00.000Z"],
    ["2026-01-05 12:00:00,PST", "2026-01-05T20:00:00.000Z"],
    ["2026-07-05 12:00:00,CEST", "2026-07-05T10:00:00.000Z"],
    ["2026-07-05 12:00:00,BST", "2026-07-05T11:00:00.000Z"],
    ["2026-07-05 12:00:00,Europe/Zurich", "2026-07-05T10:00:00.000Z"],
    ["2026-01-05 12:00:00,Europe/Zurich", "2026-01-05T11:00:00.000Z"],
    ["2026-01-05 12:30:00,Asia/Kolkata", "2026-01-05T07:00:00.000Z"]
  ] as const) {
    itRuns(`the time ${time} is ${at}`, function* () {
      assert.deepStrictEqual(yield* told("adyen-settlement-details", [header, line({ time })], "at"), [at])
    })
  }

  const of = (cells: Parameters<typeof line>[0]) => [header, line(cells)]
  const partly = "Commission (NC): expected fees that make up the difference"
  areUnreadable("adyen-settlement-details", [
    ["fees that do not make up the difference", of({ fees: "0.49,,," }), partly],
    ["an unknown time zone", of({ time: "2026-01-05 12:00:00,XST" }), `Creation Date: ${noTime}`],
    ["an unknown place", of({ time: "2026-01-05 12:00:00,Europe/Nowhere" }), `Creation Date: ${noTime}`],
    ["no amount at all", of({ money: "EUR,,,1,EUR,," }), "Net Credit (NC): expected an amount"]
  ])

  itRuns("fractional fees, another payer and a type of next year drop no row", function* () {
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
})

describe("adyen-payment-accounting", () => {
  const header =
    "Merchant Account,Psp Reference,Merchant Reference,Booking Date,TimeZone,Record Type,Payment Currency,Captured (PC),Settlement Currency,Payable (SC),Commission (SC),Markup (SC),Scheme Fees (SC),Interchange (SC),Modification Psp Reference,Modification Merchant Reference"

  itRuns("rows whose statuses change what is payable are read with their money", function* () {
    const lines = [
      header,
      "M,PSP1,att_1.held,2026-01-05 12:00:00,UTC,Authorised,EUR,,,,,,,,,",
      "M,PSP1,att_1.held,2026-01-05 12:00:00,UTC,SentForSettle,EUR,100.00,,,,,,,MOD1,",
      "M,PSP1,att_1.held,2026-01-06 12:00:00,UTC,Settled,EUR,-100.00,EUR,96.00,1.00,0.50,0.50,2.00,MOD1,att_1.take.0198f7c20a1b7c3d8e4f5a6b7c8d9e0f",
      "M,PSP1,att_1.held,2026-01-07 12:00:00,UTC,Refunded,EUR,40.00,EUR,-40.00,,,,,MOD2,rf_1",
      "M,PSP1,att_1.held,2026-01-08 12:00:00,UTC,Chargeback,EUR,,EUR,-67.50,7.50,,,,MOD3,",
      "M,PSP1,att_1.held,2026-01-08 12:00:00,UTC,NewRegister,EUR,1.00,EUR,-1.00,,,,,MOD4,"
    ]
    assert.deepStrictEqual(yield* told("adyen-payment-accounting", lines, "kind", "gross", "fee", "net"), [
      "charge | 10000 EUR | 400 EUR | 9600 EUR",
      "refund | -4000 EUR | 0 EUR | -4000 EUR",
      "dispute | -6000 EUR | 750 EUR | -6750 EUR",
      "adjustment | -100 EUR | 0 EUR | -100 EUR"
    ])
    assert.deepStrictEqual(yield* told("adyen-payment-accounting", lines, "names"), [
      "attemptId att_1, operationId op_0198f7c2-0a1b-7c3d-8e4f-5a6b7c8d9e0f, providerRef PSP1",
      "attemptId att_1, refundId rf_1, providerRef PSP1, providerRefundId MOD2",
      "attemptId att_1, providerRef PSP1, disputeId MOD3",
      "attemptId att_1, providerRef PSP1"
    ])
  })
})

describe("paypal-settlement", () => {
  const columns =
    "CH,Transaction ID,Invoice ID,PayPal Reference ID,PayPal Reference ID Type,Transaction Event Code,Transaction Initiation Date,Transaction Completion Date,Transaction  Debit or Credit,Gross Transaction Amount,Gross Transaction Currency,Fee Debit or Credit,Fee Amount,Fee Currency,Custom Field,Consumer ID"
  const time = "2026/01/06 00:00:30 -0800"
  const body = (code: string, money: string, names = ",") =>
    `SB,TX1,${names.split(",")[0]},CAP1,TXN,${code},${time},${time},${money},${names.split(",")[1]},YM2C`

  itRuns("amounts of sections with own columns go by their debit or credit", function* () {
    const lines = [
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
    ]
    const fields = ["kind", "gross", "fee", "net", "names", "payoutId"] as const
    assert.deepStrictEqual(yield* told("paypal-settlement", lines, ...fields), [
      "charge | 5200 AUD | 225 AUD | 4975 AUD | attemptId att_1 | -",
      "refund | -5200 AUD | -175 AUD | -5025 AUD | refundId rf_1, providerRefundId TX1 | -",
      "charge | 500000 HUF | 10000 HUF | 490000 HUF | operationId op_1 | -",
      "payout | -4949 AUD | 0 AUD | -4949 AUD |  | TX1",
      "adjustment | -1 EUR | 0 EUR | -1 EUR |  | -"
    ])
    const times = yield* told("paypal-settlement", lines, "at", "generated")
    assert.deepStrictEqual(times, Array(5).fill("2026-01-06T08:00:30.000Z | 2026-01-07T12:00:00.000Z"))
  })

  areOfKinds(
    "paypal-settlement",
    (
      [
        ["T1110 DR", "adjustment"],
        ["T1111 CR", "adjustment"],
        ["T1106 DR", "dispute"],
        ["T1101 CR", "payout_failed"],
        ["T0001 DR", "adjustment"],
        ["T0200 CR", "adjustment"]
      ] as const
    ).map(([code, kind]) => {
      const [event = "", direction = ""] = code.split(" ")
      return [code, body(event, `${direction},100,EUR,,,`), kind] as const
    }),
    "SH,,,,",
    columns
  )

  const ofCharge = (money: string) => [columns, body("T0006", money)]
  const noColumn = "expected this column in a record of columns (CH) before the row"
  areUnreadable("paypal-settlement", [
    ["no columns before it", ["SH,,,,", body("T0006", "CR,1,EUR,,,")], `CH: ${noColumn}`],
    [
      "columns without the amount",
      [columns.replace("Gross Transaction Amount", "Amount"), body("T0006", "CR,1,EUR,,,")],
      `Gross Transaction Amount: ${noColumn}`
    ],
    ["an unknown kind of record", [columns, "XX,1"], "column 1: expected the kind of record, such as SB"],
    [
      "an amount with decimals",
      ofCharge("CR,52.00,EUR,,,"),
      "Gross Transaction Amount: expected digits, in the smallest unit of the currency"
    ],
    ["no direction", ofCharge(",5200,EUR,,,"), "Transaction Debit or Credit: expected CR or DR"],
    ["a fee in another currency", ofCharge("CR,5200,EUR,DR,1,USD"), "Fee Currency: expected the currency of the amount"]
  ])
})

describe("mollie-settlement", () => {
  const header =
    "Date,Payment method,Currency,Amount,Status,ID,Description,Consumer name,Consumer bank account,Consumer BIC,Settlement currency,Settlement amount,Settlement reference,Amount refunded"
  const end = ",,,,EUR,"

  itRuns("payments, a capture, returned money and fees are each of their kind", function* () {
    const lines = [
      header,
      `2026-07-01 10:12:00,ideal,EUR,100.00,paidout,tr_1,Order 1001${end}100.00,1234567.2610.01,`,
      `2026-10-01T10:12:00+00:00,creditcard,GBP,50.00,paidout,cpt_1,Original payment: tr_2 - Order 1002${end}57.50,1234567.2610.01,`,
      `2026-10-03 09:00:00,refund,EUR,-20.00,refunded,re_1,Refund${end}-20.00,1234567.2610.01,`,
      `2026-10-03 09:00:00,refund,EUR,20.00,failed,re_1,Refund${end}20.00,1234567.2610.01,`,
      `2026-10-03 09:00:00,chargeback,EUR,-10.00,,chb_1,${end}-10.00,1234567.2610.01,`,
      `2026-10-03 09:00:00,chargeback,EUR,-10.00,,tr_1,${end}-10.00,1234567.2610.01,`,
      `2026-10-04 00:00:00,,EUR,-2.88,paidout,,Withheld transaction fees MOL-2026-0001${end}-2.88,1234567.2610.01,`,
      `2026-10-04 00:00:00,,EUR,-5.00,paidout,,Rolling reserve${end}-5.00,1234567.2610.01,`
    ]
    const rows = yield* told("mollie-settlement", lines, "id", "kind", "gross", "names")
    assert.deepStrictEqual(
      rows.map((row) => row.replace(/[0-9a-f]{32}/u, "…")),
      [
        "tr_1 | charge | 10000 EUR | providerRef tr_1, reference Order 1001",
        "cpt_1 | charge | 5000 GBP | providerRef tr_2",
        "re_1 | refund | -2000 EUR | providerRefundId re_1",
        "re_1.refund_failed | refund_failed | 2000 EUR | providerRefundId re_1",
        "chb_1 | dispute | -1000 EUR | disputeId chb_1",
        "tr_1.dispute | dispute | -1000 EUR | providerRef tr_1",
        "fee.… | fee | -288 EUR | ",
        "adjustment.… | adjustment | -500 EUR | "
      ]
    )
    assert.deepStrictEqual((yield* told("mollie-settlement", lines, "converted", "fee", "at")).slice(0, 2), [
      "- | - | 2026-07-01T08:12:00.000Z",
      "5750 EUR | - | 2026-10-01T10:12:00.000Z"
    ])
  })
})

describe("checkout-financial-actions", () => {
  const header =
    "Action Type,Action ID,Payment ID,Reference,Processed On,Timezone,Processing Currency,Holding Currency,Payout ID,Breakdown Type,Processing Currency Amount,Holding Currency Amount"
  const line = (part: string, processed: string, held: string, currency = "GBP", time = "2026-07-09T18:07:06.844,") =>
    `Capture,act_1,pay_1,,${time},${currency},GBP,PO1,${part},${processed},${held}`

  itRuns("fees in fractions of a penny make up the exact sum, and no row is off by one", function* () {
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

  itRuns("other currencies, disputes, a void and a time zone are each of their kind", function* () {
    const lines = [
      header,
      line("Capture", "100", "0.52", "JPY"),
      line("Partial Refund", "-10.00", "-10.00"),
      line("Chargeback (First)", "-10.00", "-10.00"),
      line("Chargeback (Reversal)", "10.00", "10.00"),
      line("Void", "0", "0"),
      line("Scheme Fixed Fee Tax", "", "-1.00", "EUR", "2026-07-09 18:00:00,Europe/London"),
      line("Payout", "", "-40.00"),
      line("Rolling Reserve Reservation", "-1.00", "-1.00")
    ]
    assert.deepStrictEqual(
      yield* told("checkout-financial-actions", lines, "id", "kind", "gross", "converted", "net"),
      [
        "act_1.Capture | charge | 100 JPY | 52 GBP | 52 GBP",
        "act_1.Partial Refund | refund | -1000 GBP | - | -1000 GBP",
        "act_1.Chargeback (First) | dispute | -1000 GBP | - | -1000 GBP",
        "act_1.Chargeback (Reversal) | dispute_reversed | 1000 GBP | - | 1000 GBP",
        "act_1.Scheme Fixed Fee Tax | fee | -100 GBP | - | -100 GBP",
        "act_1.Payout | payout | -4000 GBP | - | -4000 GBP",
        "act_1.Rolling Reserve Reservation | adjustment | -100 GBP | - | -100 GBP"
      ]
    )
    const times = yield* told("checkout-financial-actions", lines, "at")
    assert.deepStrictEqual([times[0], times[4]], ["2026-07-09T18:07:06.844Z", "2026-07-09T17:00:00.000Z"])
  })

  areUnreadable("checkout-financial-actions", [
    [
      "two amounts in one currency",
      [header, line("Capture", "50.00", "49.99")],
      "Holding Currency Amount: expected the amount of the other column, in the same currency"
    ],
    [
      "a part of a penny",
      [header, line("Capture", "50.001", "50.001")],
      `Processing Currency Amount: ${noDecimals("GBP")}`
    ],
    [
      "a word for an amount",
      [header, line("Scheme Fixed Fee", "", "much")],
      "Holding Currency Amount: expected a decimal amount"
    ]
  ])
})

describe("http", () => {
  const header = "row_id,kind,gross,currency,occurred_at,payout_currency,converted,fee,net"
  const at = "2026-01-31T12:00:00Z"
  const noOffset = "expected a time with its offset, such as 2026-01-31T12:00:00Z"

  itRuns("a row has the report's time, and one without an offset is refused", function* () {
    const rows = ["2026-02-01T01:00:00+01:00", "", "2026-02-01"].map((time) => `1,payout,-1,EUR,${at},${time}`)
    const lines = ["row_id,kind,gross,currency,occurred_at,generated_at", ...rows]
    const expected = ["2026-02-01T00:00:00.000Z", "-", `generated_at: ${noOffset}`]
    assert.deepStrictEqual(yield* told("http", lines, "generated"), expected)
  })

  const kinds =
    "charge, charge_failed, refund, refund_failed, dispute, dispute_reversed, fee, payout, payout_failed, adjustment"
  const noUnits = "gross: expected a whole number of minor units"
  const noPair = "expected fee and net, or neither"
  const noSign = "gross: expected an amount above 0 where money comes, and below 0 where it leaves"
  const noConverted =
    "converted: expected an amount where payout_currency is another currency than currency, and none else"
  areUnreadable(
    "http",
    [
      [`sale,100,EUR,${at},,,,`, `kind: expected one of ${kinds}`],
      [`charge,1.00,EUR,${at},,,,`, noUnits],
      [`charge,9007199254740993,EUR,${at},,,,`, noUnits],
      ["charge,100,EUR,2026-01-31T12:00:00,,,,", `occurred_at: ${noOffset}`],
      ["charge,100,EUR,2026-01-31T25:00:00Z,,,,", `occurred_at: ${noTime}`],
      ...["charge,-100", "charge,0", "charge_failed,100", "refund,100", "refund_failed,-1", "dispute,1"].map(
        (cells) => [`${cells},EUR,${at},,,,`, noSign] as const
      ),
      [`charge,100,EUR,${at},,,5,`, `net: ${noPair}`],
      [`charge,100,EUR,${at},,,,95`, `fee: ${noPair}`],
      [`charge,100,EUR,${at},,,5,96`, "net: expected the amount without the fee"],
      [`charge,100,EUR,${at},USD,,5,95`, noConverted],
      [`charge,100,EUR,${at},EUR,100,5,95`, noConverted]
    ].map(([cells = "", reported = ""]) => [cells, [header, `1,${cells}`], reported] as const)
  )

  itRuns("the least columns leave null what the row does not say", function* () {
    const lines = ["occurred_at,currency,gross,kind,row_id", "2026-01-31T12:00:00+01:00,JPY,-0,adjustment,1"]
    const fields = ["id", "kind", "gross", "converted", "fee", "net", "names", "payoutId", "at", "settled"] as const
    assert.deepStrictEqual(yield* told("http", lines, ...fields), [
      "1 | adjustment | 0 JPY | - | - | - |  | - | 2026-01-31T11:00:00.000Z | -"
    ])
  })
})
