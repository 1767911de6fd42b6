/** Files of reports as each provider writes them, of simulated movements, and the rows that a reader must find in them. */
import type { ReportNames, ReportRow, SignedMoney } from "@pointsman/core/connector"
import { Stream } from "effect"
import { httpReport } from "../../src/formats/Http.ts"
import { decimal, type Movement, movements, planted, type Simulated } from "./Movements.ts"

/** What one movement is in the file, and what is read of it. Without `rows`: it moves no money. */
interface Written {
  readonly record: ReadonlyArray<string>
  /** Without an id where the reader makes it. */
  readonly rows: ReadonlyArray<Omit<ReportRow, "id"> & { readonly id?: string }>
}

export interface ReportFile {
  readonly format: string
  readonly before: ReadonlyArray<ReadonlyArray<string>>
  /** Nothing where the provider's report has no such movement. */
  readonly write: (movement: Movement) => ReadonlyArray<Written>
  readonly after: ReadonlyArray<ReadonlyArray<string>>
  /** Where the time is, which a planted unreadable row spoils. */
  readonly timeColumn: string
  readonly converts: boolean
  /** What the report says of all its rows. */
  readonly states?: Pick<ReportRow, "generatedAt">
}

const none: ReportNames = {
  attemptId: null,
  operationId: null,
  refundId: null,
  providerRef: null,
  providerRefundId: null,
  disputeId: null,
  reference: null
}

const money = (minorUnits: number, currency: string): SignedMoney => ({ minorUnits, currency })

/** A movement that is one row. */
const oneRow = (record: Written["record"], row: Written["rows"][number]): ReadonlyArray<Written> => [
  { record, rows: [row] }
]

/** All that a format can say. */
const whole = (movement: Movement): Omit<ReportRow, "id" | "names"> => {
  const { converted, currency, fee, gross, kind, net, occurredAt, payoutCurrency, payoutId, settledAt } = movement
  return {
    kind,
    gross: money(gross, currency),
    converted: payoutCurrency === currency ? null : money(converted, payoutCurrency),
    fee: money(fee, payoutCurrency),
    net: money(net, payoutCurrency),
    payoutId,
    occurredAt,
    settledAt
  }
}

const clock = (time: number, hours = 0): string =>
  new Date(time + hours * 3_600_000).toISOString().replace("T", " ").slice(0, 19)

const isOf = (movement: Movement, ...kinds: ReadonlyArray<string>) => kinds.includes(movement.kind)
const isRefund = (movement: Movement) => isOf(movement, "refund", "refund_failed")
const isDispute = (movement: Movement) => isOf(movement, "dispute", "dispute_reversed")
const isCharge = (movement: Movement) => isOf(movement, "charge", "charge_failed")
const isOfPayment = (movement: Movement) => isCharge(movement) || isRefund(movement) || isDispute(movement)
const isPayout = (movement: Movement) => isOf(movement, "payout", "payout_failed")
const only = <A>(condition: boolean, value: A): A | null => (condition ? value : null)
const cell = (condition: boolean, text: string) => (condition ? text : "")

const stripeHeader =
  "balance_transaction_id,created_utc,available_on_utc,currency,gross,fee,net,reporting_category,source_id,description,customer_facing_amount,customer_facing_currency,automatic_payout_id,automatic_payout_effective_at_utc,payment_intent_id,charge_id,payment_metadata[attempt_id],payment_metadata[reference],refund_metadata[refund_id]".split(
    ","
  )

const stripeCategory: Readonly<Record<string, string>> = {
  charge: "charge",
  charge_failed: "charge_failure",
  refund: "refund",
  refund_failed: "refund_failure",
  dispute: "dispute",
  dispute_reversed: "dispute_reversal",
  fee: "fee",
  payout: "payout",
  payout_failed: "payout_reversal",
  adjustment: "reserve_transaction"
}

const stripe = (format: string): ReportFile => ({
  format,
  before: [stripeHeader],
  after: [],
  timeColumn: "created_utc",
  converts: true,
  write: (movement) => {
    const { attemptId, currency, payoutCurrency, reference, refundId } = movement
    const ofPayment = isOfPayment(movement)
    const id = `txn_${movement.kind}_${movement.index}_${payoutCurrency}`
    const payout = `po_${movement.payoutId}`
    const source = isPayout(movement)
      ? payout
      : isRefund(movement)
        ? movement.providerRefundId
        : isDispute(movement)
          ? movement.disputeId
          : ""
    const amount = (units: number) => decimal(units, payoutCurrency)
    const isFacing = currency !== payoutCurrency
    return oneRow(
      [
        id,
        clock(movement.occurredAt),
        clock(movement.settledAt),
        payoutCurrency.toLowerCase(),
        amount(movement.converted),
        amount(movement.fee),
        amount(movement.net),
        stripeCategory[movement.kind] ?? "",
        source,
        "Refund of a charge, by hand",
        cell(isFacing, decimal(Math.abs(movement.gross), currency)),
        cell(isFacing, currency.toLowerCase()),
        cell(!isPayout(movement), payout),
        clock(movement.settledAt),
        cell(ofPayment, movement.providerRef),
        "ch_1",
        cell(ofPayment, attemptId),
        cell(ofPayment, reference),
        cell(isRefund(movement), refundId)
      ],
      {
        ...whole(movement),
        id,
        payoutId: payout,
        names: {
          ...none,
          attemptId: only(ofPayment, attemptId),
          refundId: only(isRefund(movement), refundId),
          providerRef: only(ofPayment, movement.providerRef),
          providerRefundId: only(isRefund(movement), source),
          disputeId: only(isDispute(movement), source),
          reference: only(ofPayment, reference)
        }
      }
    )
  }
})

const adyenType: Readonly<Record<string, string>> = {
  charge: "Settled",
  charge_failed: "SettledReversed",
  refund: "Refunded",
  refund_failed: "RefundedReversed",
  dispute: "Chargeback",
  dispute_reversed: "ChargebackReversed",
  fee: "Fee",
  payout: "MerchantPayout",
  payout_failed: "BankInstructionReturned",
  adjustment: "DepositCorrection"
}

const digitsOf = (id: string) => id.slice(3).replaceAll("-", "")

/** Adyen's references, which both of its reports have. */
const adyenNames = (movement: Movement) => {
  const ofPayment = isOfPayment(movement)
  const modification = isRefund(movement)
    ? movement.providerRefundId
    : isDispute(movement)
      ? movement.disputeId
      : `MOD${movement.index}`
  return {
    ofPayment,
    modification: ofPayment ? modification : "Transaction Fees, batch",
    psp: cell(ofPayment, movement.providerRef),
    merchant: cell(ofPayment, `${movement.attemptId}.held`),
    modificationMerchant: isRefund(movement)
      ? movement.refundId
      : isCharge(movement)
        ? `${movement.attemptId}.take.${digitsOf(movement.operationId)}`
        : "",
    names: {
      ...none,
      attemptId: only(ofPayment, movement.attemptId),
      operationId: only(isCharge(movement), movement.operationId),
      refundId: only(isRefund(movement), movement.refundId),
      providerRef: only(ofPayment, movement.providerRef),
      providerRefundId: only(isRefund(movement), modification),
      disputeId: only(isDispute(movement), modification)
    }
  }
}

/** A row of the account itself has the net amount alone. */
const adyenRow = (movement: Movement, ofPayment: boolean): Omit<ReportRow, "id" | "names"> => {
  const { net, payoutCurrency } = movement
  const row = { ...whole(movement), payoutId: `Shop/${movement.payoutId}`, settledAt: null }
  const balance = money(net, payoutCurrency)
  return ofPayment ? row : { ...row, gross: balance, converted: null, fee: money(0, payoutCurrency), net: balance }
}

/** The fee in three parts, one of them with more decimals than money has. */
const feeCells = (movement: Movement) => {
  const { fee, payoutCurrency } = movement
  if (movement.kind === "dispute") return [decimal(fee, payoutCurrency), "", "", ""]
  if (fee < 3) return ["", decimal(fee, payoutCurrency), "", ""]
  const third = Math.floor(fee / 3)
  return [
    "",
    `${decimal(third, payoutCurrency)}${payoutCurrency === "JPY" ? "" : "01"}`,
    decimal(third, payoutCurrency),
    decimal(fee - 2 * third, payoutCurrency)
  ]
}

const debitCredit = (units: number, currency: string) =>
  units < 0 ? [decimal(-units, currency), ""] : ["", decimal(units, currency)]

const zoneOf = ({ index }: Movement) => (index % 2 === 0 ? (["CET", 1] as const) : (["PST", -8] as const))

const adyenSettlement: ReportFile = {
  format: "adyen-settlement-details",
  before: [
    "Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Payment Method Variant,Modification Merchant Reference,Batch Number,Reserved4".split(
      ","
    )
  ],
  after: [],
  timeColumn: "Creation Date",
  converts: true,
  write: (movement) => {
    const { merchant, modification, modificationMerchant, names, ofPayment, psp } = adyenNames(movement)
    const [zone, hours] = zoneOf(movement)
    const row = adyenRow(movement, ofPayment)
    return oneRow(
      [
        "Company",
        "Shop",
        psp,
        merchant,
        "visa",
        clock(movement.occurredAt, hours),
        zone,
        adyenType[movement.kind] ?? "",
        modification,
        ...(ofPayment ? [movement.currency, ...debitCredit(movement.gross, movement.currency)] : ["", "", ""]),
        "1",
        movement.payoutCurrency,
        ...debitCredit(movement.net, movement.payoutCurrency),
        ...(ofPayment ? feeCells(movement) : ["", "", "", ""]),
        "visaclassic",
        modificationMerchant,
        movement.payoutId,
        ""
      ],
      { ...row, names, settledAt: movement.kind === "payout" ? movement.occurredAt : null }
    )
  }
}

const accountingHeader =
  "Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Booking Date,TimeZone,Main Currency,Main Amount,Record Type,Payment Currency,Received (PC),Authorised (PC),Captured (PC),Settlement Currency,Payable (SC),Commission (SC),Markup (SC),Scheme Fees (SC),Interchange (SC),Processing Fee Currency,Processing Fee (FC),User Name,Payment Method Variant,Modification Merchant Reference,Modification Psp Reference,Batch Number".split(
    ","
  )

const adyenAccounting: ReportFile = {
  format: "adyen-payment-accounting",
  before: [accountingHeader],
  after: [],
  timeColumn: "Booking Date",
  converts: true,
  write: (movement) => {
    const { merchant, modification, modificationMerchant, names, ofPayment, psp } = adyenNames(movement)
    const [zone, hours] = zoneOf(movement)
    const { currency, payoutCurrency } = movement
    const captured = cell(ofPayment, decimal(-movement.gross, currency))
    const record = (type: string, money: ReadonlyArray<string>) => [
      "Company",
      "Shop",
      psp,
      merchant,
      "visa",
      clock(movement.occurredAt, hours),
      zone,
      currency,
      "0",
      type,
      ...money,
      "EUR",
      "0.10",
      "system",
      "visaclassic",
      modificationMerchant,
      modification,
      movement.payoutId
    ]
    const fees = ofPayment ? feeCells(movement) : ["", "", "", ""]
    const settled = record(adyenType[movement.kind] ?? "", [
      currency,
      "",
      "",
      captured,
      payoutCurrency,
      decimal(movement.net, payoutCurrency),
      ...fees
    ])
    const sent = record("SentForSettle", [currency, "", "", captured, "", "", "", "", "", ""])
    return [
      ...(movement.kind === "charge" ? [{ record: sent, rows: [] }] : []),
      { record: settled, rows: [{ ...adyenRow(movement, ofPayment), names }] }
    ]
  }
}

const payPalCode: Readonly<Record<string, string>> = {
  charge: "T0006",
  // PayPal has no code for a capture that is taken back.
  charge_failed: "T1200",
  refund: "T1107",
  refund_failed: "T1107",
  dispute: "T1201",
  dispute_reversed: "T1202",
  fee: "T0106",
  payout: "T0400",
  payout_failed: "T1101",
  adjustment: "T1200"
}

const payPal: ReportFile = {
  format: "paypal-settlement",
  before: [
    ["RH", "2026/01/06 04:00:00 -0800", "A", "EZ782AXEUJUW8", "011"],
    ["FH", "01"],
    ["SH", "2026/01/06 00:00:00 -0800", "2026/01/06 23:59:59 -0800", "EZ782AXEUJUW8", ""],
    "CH,Transaction ID,Invoice ID,PayPal Reference ID,PayPal Reference ID Type,Transaction Event Code,Transaction Initiation Date,Transaction Completion Date,Transaction  Debit or Credit,Gross Transaction Amount,Gross Transaction Currency,Fee Debit or Credit,Fee Amount,Fee Currency,Custom Field,Consumer ID".split(
      ","
    )
  ],
  after: [
    ["SF", "EUR", "1", "2"],
    ["SC", "1"],
    ["RF", "EUR", "1", "2"],
    ["RC", "1"],
    ["FF", "1"]
  ],
  timeColumn: "Transaction Initiation Date",
  converts: false,
  states: { generatedAt: Date.parse("2026-01-06T12:00:00Z") },
  write: (movement) => {
    const { currency, fee, gross, kind } = movement
    const code = payPalCode[kind] ?? ""
    const ofPayment = isOfPayment(movement)
    const id = `${movement.providerRefundId}${code}${currency}`
    const offset = (time: number) => `${clock(time, -8).replaceAll("-", "/")} -0800`
    return oneRow(
      [
        "SB",
        id,
        cell(ofPayment, movement.attemptId),
        cell(ofPayment, movement.providerRef),
        cell(ofPayment, "ODR"),
        code,
        offset(movement.occurredAt),
        offset(movement.settledAt),
        gross < 0 ? "DR" : "CR",
        String(Math.abs(gross)),
        currency,
        cell(fee !== 0, "DR"),
        cell(fee !== 0, String(fee)),
        cell(fee !== 0, currency),
        cell(isRefund(movement), movement.refundId),
        "YM2C"
      ],
      {
        ...whole(movement),
        id,
        kind: kind === "charge_failed" ? "adjustment" : kind,
        payoutId: only(isPayout(movement), id),
        names: {
          ...none,
          attemptId: only(ofPayment, movement.attemptId),
          refundId: only(isRefund(movement), movement.refundId),
          providerRef: only(ofPayment, movement.providerRef),
          providerRefundId: only(kind === "refund", id)
        }
      }
    )
  }
}

const mollieIdOf = (movement: Movement): string => {
  if (isCharge(movement)) return `tr_${movement.providerRef}`
  if (isRefund(movement)) return `re_${movement.providerRefundId}`
  if (isDispute(movement)) return `chb_${movement.disputeId}`
  return movement.kind === "adjustment" ? `adj_${movement.index}` : ""
}

const mollie: ReportFile = {
  format: "mollie-settlement",
  before: [
    "Date,Payment method,Currency,Amount,Status,ID,Description,Consumer name,Consumer bank account,Consumer BIC,Settlement currency,Settlement amount,Settlement reference,Amount refunded".split(
      ","
    )
  ],
  after: [],
  timeColumn: "Date",
  converts: true,
  write: (movement) => {
    if (isPayout(movement)) return []
    const { converted, currency, gross, payoutCurrency, reference } = movement
    const id = mollieIdOf(movement)
    const row = { ...whole(movement), fee: null, net: null, settledAt: null }
    // Both rows of a capture, refund or chargeback that is taken back have one id of Mollie's.
    const isBack = isOf(movement, "charge_failed", "refund_failed", "dispute_reversed")
    return oneRow(
      [
        // Winter: an hour before UTC.
        clock(movement.occurredAt, 1),
        isRefund(movement) ? "refund" : isDispute(movement) ? "chargeback" : "creditcard",
        currency,
        decimal(gross, currency),
        "paidout",
        id,
        isCharge(movement) ? reference : "Withheld transaction fees 2026.1",
        "",
        "",
        "",
        payoutCurrency,
        decimal(converted, payoutCurrency),
        movement.payoutId,
        ""
      ],
      {
        ...row,
        ...(id === "" ? {} : { id: isBack ? `${id}.${movement.kind}` : id }),
        names: {
          ...none,
          providerRef: only(isCharge(movement), id),
          providerRefundId: only(isRefund(movement), id),
          disputeId: only(isDispute(movement), id),
          reference: only(isCharge(movement), reference)
        }
      }
    )
  }
}

const checkoutPart: Readonly<Record<string, string>> = {
  charge: "Capture",
  charge_failed: "Capture",
  refund: "Refund",
  refund_failed: "Refund",
  dispute: "Chargeback (First)",
  dispute_reversed: "Chargeback (Reversal)",
  fee: "Scheme Fixed Fee",
  payout: "Payout",
  payout_failed: "Payout",
  adjustment: "Security Deposit Reservation"
}

/** As the connector writes it: a letter, and the UUID in base 36. */
const checkoutReference = (letter: string, id: string): string =>
  `${letter}${BigInt(`0x${id.replace(/^[a-z]+_/u, "").replaceAll("-", "")}`)
    .toString(36)
    .padStart(25, "0")}`

const checkout: ReportFile = {
  format: "checkout-financial-actions",
  before: [
    "Client Entity ID,Client Entity Name,Processing Channel ID,Action Type,Action ID,Payment ID,Reference,Payment Method,Requested On,Processed On,Processing Currency,Holding Currency,FX Rate Applied,Payout ID,Breakdown Type,Processing Currency Amount,Holding Currency Amount,Available On".split(
      ","
    )
  ],
  after: [],
  timeColumn: "Processed On",
  converts: true,
  write: (movement) => {
    const { converted, currency, fee, gross, kind, payoutCurrency } = movement
    const ofPayment = isOfPayment(movement)
    const action = isRefund(movement) ? movement.providerRefundId : `act_${kind}_${movement.index}`
    const time = (at: number) => new Date(at).toISOString().slice(0, 23)
    const record = (part: string, processed: string, held: string) => [
      "ent_1",
      "Shop",
      "pc_1",
      kind,
      action,
      cell(ofPayment, movement.providerRef),
      isRefund(movement)
        ? checkoutReference("r", movement.refundId)
        : kind === "charge_failed"
          ? checkoutReference("c", movement.operationId)
          : cell(ofPayment, checkoutReference("a", movement.attemptId)),
      "VISA",
      time(movement.occurredAt),
      time(movement.occurredAt),
      currency,
      payoutCurrency,
      "1",
      movement.payoutId,
      part,
      processed,
      held,
      time(movement.settledAt)
    ]
    const names = {
      ...none,
      attemptId: only(ofPayment && !isRefund(movement) && kind !== "charge_failed", movement.attemptId),
      operationId: only(kind === "charge_failed", movement.operationId),
      refundId: only(isRefund(movement), movement.refundId),
      providerRef: only(ofPayment, movement.providerRef),
      providerRefundId: only(isRefund(movement), action)
    }
    const part = checkoutPart[kind] ?? ""
    const held = money(converted, payoutCurrency)
    const own = ofPayment ? whole(movement) : { ...whole(movement), gross: held, converted: null }
    const free = { fee: ofPayment ? null : money(0, payoutCurrency), net: held }
    const feeRow = (units: number): Omit<ReportRow, "id"> => {
      const kept = money(units === 0 ? 0 : -units, payoutCurrency)
      return {
        ...whole(movement),
        kind: "fee",
        gross: kept,
        converted: null,
        fee: money(0, payoutCurrency),
        net: kept,
        names
      }
    }
    const fraction = "0.00000033"
    return [
      {
        record: record(part, decimal(gross, currency), decimal(converted, payoutCurrency)),
        rows: [{ ...own, ...free, names, id: `${action}.${part}` }]
      },
      ...(fee === 0
        ? []
        : [
            {
              record: record("Scheme Variable Fee", "", `-${fraction}`),
              rows: [{ ...feeRow(0), names, id: `${action}.Scheme Variable Fee` }]
            },
            {
              record: record("Gateway Fee", "", lessBy(fee, payoutCurrency, 33n)),
              rows: [{ ...feeRow(fee), names, id: `${action}.Gateway Fee` }]
            }
          ])
    ]
  }
}

/** A fee without `parts` of 10⁻⁸, as a negative amount. */
const lessBy = (fee: number, currency: string, parts: bigint): string => {
  const [whole = "0", decimals = ""] = decimal(fee, currency).split(".")
  const digits = String(BigInt(`${whole}${decimals.padEnd(8, "0")}`) - parts).padStart(9, "0")
  return `-${digits.slice(0, -8)}.${digits.slice(-8)}`
}

const http: ReportFile = {
  format: "http",
  before: [httpReport.columns.map(({ name }) => name)],
  after: [],
  timeColumn: "occurred_at",
  converts: true,
  write: (movement) => {
    const { converted, currency, payoutCurrency } = movement
    const id = `${movement.kind}-${movement.index}-${payoutCurrency}`
    const { attemptId, disputeId, operationId, providerRef, providerRefundId, reference, refundId } = movement
    const names = { attemptId, operationId, refundId, providerRef, providerRefundId, disputeId, reference }
    const values: Readonly<Record<string, string>> = {
      row_id: id,
      kind: movement.kind,
      gross: String(movement.gross),
      currency,
      occurred_at: new Date(movement.occurredAt).toISOString(),
      attempt_id: attemptId,
      operation_id: operationId,
      refund_id: refundId,
      provider_reference: providerRef,
      provider_refund_id: providerRefundId,
      dispute_id: disputeId,
      reference,
      payout_currency: payoutCurrency,
      converted: cell(payoutCurrency !== currency, String(converted)),
      fee: String(movement.fee),
      net: String(movement.net),
      payout_id: movement.payoutId,
      settled_at: new Date(movement.settledAt).toISOString()
    }
    return [
      { record: httpReport.columns.map(({ name }) => values[name] ?? ""), rows: [{ ...whole(movement), id, names }] }
    ]
  }
}

export const reportFiles: ReadonlyArray<ReportFile> = [
  stripe("stripe-balance"),
  stripe("stripe-payout-reconciliation"),
  adyenSettlement,
  adyenAccounting,
  payPal,
  mollie,
  checkout,
  http
]

const quoted = (text: string): string => (/[",\r\n;]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

export const lineOf = (record: ReadonlyArray<string>): string => `${record.map(quoted).join(",")}\n`

/** What the file says of each movement, with what is planted. */
export const writtenOf = function* (file: ReportFile, simulated: Simulated): Generator<Written> {
  const at = file.before[file.before.length - 1]?.indexOf(file.timeColumn) ?? -1
  for (const movement of movements({ ...simulated, converts: file.converts })) {
    const isMovement = movement.kind !== "payout" && movement.kind !== "payout_failed"
    const difference = isMovement ? simulated.planted?.get(movement.index) : undefined
    for (const one of planted(movement, difference)) {
      const written = file.write(one)
      if (difference !== "unreadable") yield* written
      else {
        const spoiled = (record: ReadonlyArray<string>) =>
          record.map((text, index) => (index === at ? "yesterday" : text))
        yield* written.map(({ record }) => ({ record: spoiled(record), rows: [] }))
      }
    }
  }
}

const pieceAtLeast = 32_768

const bytesOf = function* (file: ReportFile, simulated: Simulated): Generator<Uint8Array> {
  let text = file.before.map(lineOf).join("")
  for (const { record } of writtenOf(file, simulated)) {
    text += lineOf(record)
    if (text.length < pieceAtLeast) continue
    yield Buffer.from(text)
    text = ""
  }
  yield Buffer.from(text + file.after.map(lineOf).join(""))
}

/** The file as a stream of bytes, which holds one piece. */
export const reportBytes = (file: ReportFile, simulated: Simulated): Stream.Stream<Uint8Array> =>
  Stream.suspend(() => Stream.fromIterable(bytesOf(file, simulated), { chunkSize: 1 }))
