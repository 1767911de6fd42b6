/**
 * What statements of a provider mean, written by hand and not taken from the code: the rows that the cells of
 * `packages/http/test/evidence.snap.txt` are compared with. Amounts are in minor units; every payment is for 1000.
 */
import type { PaymentState } from "@pointsman/core"
import type { SampleName, Subject } from "../../scripts/evidence/Books.ts"
import type { Cell } from "../../scripts/evidence/Cells.ts"

/** The first payment of each state that has a charge, and the others that a statement about the charge tells apart. */
export const payments: Readonly<Record<string, SampleName>> = {
  Charging: "Charging: automatic capture",
  "Charging, manual": "Charging: manual capture",
  ChargePending: "ChargePending: automatic capture",
  "ChargePending, manual": "ChargePending: manual capture",
  ChargeUnknown: "ChargeUnknown: automatic capture",
  "ChargeUnknown, manual": "ChargeUnknown: manual capture",
  ChargeMismatched: "ChargeMismatched: more than was asked",
  Authorized: "Authorized: not captured yet",
  Capturing: "Capturing: in flight",
  CapturePending: "CapturePending: accepted",
  CaptureUnknown: "CaptureUnknown: unanswered",
  Voiding: "Voiding: in flight",
  VoidPending: "VoidPending: accepted",
  VoidUnknown: "VoidUnknown: unanswered",
  Captured: "Captured: automatic capture",
  PartiallyRefunded: "PartiallyRefunded: automatic capture",
  Refunded: "Refunded: automatic capture",
  Settled: "Settled: automatic capture",
  ChargedBack: "ChargedBack: a dispute was opened",
  "ChargedBack, settled": "ChargedBack: after the payout",
  Declined: "Declined: by the provider",
  Failed: "Failed: nothing was sent",
  Cancelled: "Cancelled: by the provider",
  Voided: "Voided: by a void"
}

export const statements: Readonly<Record<string, readonly [Subject, string]>> = {
  authorized: ["Charge", "authorized, dated before"],
  captured: ["Charge", "captured"],
  pending: ["Charge", "pending"],
  declined: ["Charge", "declined"],
  canceled: ["Charge", "canceled"],
  "requires authentication": ["Charge", "requires authentication"],
  "captured, more than was asked": ["Charge", "captured 12.00"],
  settled: ["Settled", "paid out"],
  "dispute opened": ["Dispute", "opened"],
  "dispute won": ["Dispute", "won"],
  "dispute lost": ["Dispute", "lost"]
}

/** A first statement about the charge ends it, whatever it is. */
const firstWord = {
  captured: "Captured",
  declined: "Declined",
  canceled: "Cancelled",
  "requires authentication": "Declined",
  "captured, more than was asked": "ChargeMismatched"
} as const
const chargedBack = { "dispute opened": "ChargedBack", "dispute lost": "ChargedBack" } as const
const conflict = {
  authorized: "Authorized",
  captured: "Captured",
  "captured, more than was asked": "ChargeMismatched"
} as const
const capturing = { captured: "Captured", "captured, more than was asked": "CaptureUnknown" } as const
const voiding = { captured: "Captured", canceled: "Voided", "captured, more than was asked": "VoidUnknown" } as const

/** The state after each statement; one that is not named leaves it as it is. */
export const becomes: Readonly<Record<string, Readonly<Record<string, PaymentState>>>> = {
  Charging: { ...firstWord, authorized: "ChargePending", pending: "ChargePending" },
  "Charging, manual": { ...firstWord, authorized: "Authorized", pending: "ChargePending" },
  ChargePending: firstWord,
  "ChargePending, manual": { ...firstWord, authorized: "Authorized" },
  ChargeUnknown: { ...firstWord, authorized: "ChargePending", pending: "ChargePending" },
  "ChargeUnknown, manual": { ...firstWord, authorized: "Authorized", pending: "ChargePending" },
  ChargeMismatched: { canceled: "Cancelled" },
  Authorized: { captured: "Captured", canceled: "Voided", "captured, more than was asked": "Captured" },
  Capturing: capturing,
  CapturePending: capturing,
  CaptureUnknown: capturing,
  Voiding: voiding,
  VoidPending: voiding,
  VoidUnknown: voiding,
  Captured: { settled: "Settled", ...chargedBack },
  PartiallyRefunded: chargedBack,
  Refunded: chargedBack,
  Settled: chargedBack,
  ChargedBack: { "dispute won": "Captured" },
  "ChargedBack, settled": { "dispute won": "Settled" },
  Declined: conflict,
  Failed: conflict,
  // The provider cancelled it later than it wrote these.
  Cancelled: { captured: "Captured", "captured, more than was asked": "ChargeMismatched" },
  Voided: { captured: "Captured", "captured, more than was asked": "Captured" }
}

/** Where the state stays, and the timeline has a new event. */
export const eventAlone: Readonly<Record<string, ReadonlyArray<string>>> = {
  CaptureUnknown: ["captured, more than was asked"],
  VoidUnknown: ["captured, more than was asked"],
  PartiallyRefunded: ["settled"],
  Refunded: ["settled"],
  ChargedBack: ["settled"],
  Captured: ["captured, more than was asked"],
  Settled: ["captured, more than was asked"]
}
for (const state of ["PartiallyRefunded", "Refunded", "ChargedBack", "ChargedBack, settled"]) {
  Object.assign(eventAlone, { [state]: [...(eventAlone[state] ?? []), "captured, more than was asked"] })
}

const disputes = ["dispute opened", "dispute won", "dispute lost"]
const ended = ["declined", "canceled", "requires authentication"]

/** What the record cannot take: operators review it, and the payment stays. */
export const contradicted: Readonly<Record<string, ReadonlyArray<string>>> = {
  ChargeMismatched: ["captured, more than was asked"],
  Authorized: ["declined", "requires authentication", "settled", ...disputes],
  Captured: ended,
  PartiallyRefunded: ended,
  Refunded: ended,
  Settled: ended,
  ChargedBack: ended,
  "ChargedBack, settled": ended,
  Declined: ["settled", ...disputes],
  Failed: ["settled", ...disputes],
  Cancelled: ["settled", ...disputes],
  Voided: ["settled", ...disputes]
}

const early = ["settled", ...disputes]
const answered = ["declined", "requires authentication", ...early]
const before = ["authorized", "pending"]

/** What counts once the charge, the capture or the void that is under way has ended. */
export const waiting: Readonly<Record<string, ReadonlyArray<string>>> = {
  Charging: early,
  "Charging, manual": early,
  ChargePending: early,
  "ChargePending, manual": early,
  ChargeUnknown: early,
  "ChargeUnknown, manual": early,
  ChargeMismatched: early,
  Capturing: [...answered, "canceled"],
  CapturePending: [...answered, "canceled"],
  CaptureUnknown: [...answered, "canceled"],
  Voiding: answered,
  VoidPending: answered,
  VoidUnknown: answered
}

/** What the record is newer than. */
export const older: Readonly<Record<string, ReadonlyArray<string>>> = {
  Authorized: ["pending"],
  Capturing: before,
  CapturePending: before,
  CaptureUnknown: before,
  Voiding: before,
  VoidPending: before,
  VoidUnknown: before,
  Captured: before,
  PartiallyRefunded: before,
  Refunded: before,
  Settled: before,
  ChargedBack: before,
  "ChargedBack, settled": before,
  Declined: ["pending"],
  Failed: ["pending"],
  Cancelled: before,
  Voided: before
}

type Row = readonly [
  payment: SampleName,
  subject: Subject,
  statement: string,
  verdict: Cell["verdict"],
  state: PaymentState,
  /** Captured, refunded, and reserved by refunds, in minor units. */
  amounts: readonly [number, number, number],
  events?: Cell["events"],
  reviews?: Cell["reviews"]
]

const captureFailed = ["payment.capture_failed"] as const
const refundsClosed = ["conflict", "capture_failed"] as const
const mismatch = ["payment.amount_mismatch"] as const

/** What a provider states finally, and what it becomes. */
export const rows: Readonly<Record<string, ReadonlyArray<Row>>> = {
  "the rest of an authorization is released": [
    ["Captured: by a partial capture", "Charge", "canceled", "Confirms", "Captured", [600, 0, 0]],
    ["Refunded: by a partial capture", "Charge", "canceled", "Confirms", "Refunded", [600, 600, 0]]
  ],
  "one capture by hand": [
    [
      "Authorized: not captured yet",
      "Charge",
      "one capture of 3.00 by hand",
      "Moves",
      "Captured",
      [300, 0, 0],
      ["payment.captured"]
    ],
    // It is a part of the 6.00 that are recorded without an id.
    ["Captured: by a partial capture", "Charge", "one capture of 3.00 by hand", "Confirms", "Captured", [600, 0, 0]],
    ["CapturePending: accepted", "Charge", "one capture of 3.00 by hand", "Waits", "CapturePending", [0, 0, 0]]
  ],
  "captured by hand, and not what was authorized": [
    [
      "Authorized: not captured yet",
      "Charge",
      "captured 12.00",
      "Moves",
      "Captured",
      [1000, 0, 0],
      ["payment.captured", ...mismatch],
      ["amount_mismatch"]
    ],
    [
      "Authorized: not captured yet",
      "Charge",
      "captured in another currency",
      "Moves",
      "ChargeMismatched",
      [0, 0, 0],
      [...mismatch, "payment.unknown"],
      ["unknown", "amount_mismatch"]
    ],
    [
      "Voided: by a void",
      "Charge",
      "captured 12.00",
      "Moves",
      "Captured",
      [1000, 0, 0],
      ["payment.conflict", "payment.captured", ...mismatch],
      ["amount_mismatch", "conflict"]
    ]
  ],
  "a capture that was pending or unknown failed": [
    ["Capturing: in flight", "Operation", "failed for good", "Moves", "Authorized", [0, 0, 0], captureFailed],
    ["CapturePending: accepted", "Operation", "failed for good", "Moves", "Authorized", [0, 0, 0], captureFailed],
    ["CaptureUnknown: unanswered", "Operation", "failed for good", "Moves", "Authorized", [0, 0, 0], captureFailed]
  ],
  "a confirmed capture failed": [
    ["Captured: by a capture", "Operation", "failed for good", "Moves", "Authorized", [0, 0, 0], captureFailed],
    ["Captured: by a partial capture", "Operation", "failed for good", "Moves", "Authorized", [0, 0, 0], captureFailed],
    ["Settled: by a capture", "Operation", "failed for good", "Moves", "Authorized", [0, 0, 0], captureFailed],
    [
      "Captured: corrected to a greater amount",
      "Operation",
      "failed for good",
      "Moves",
      "Captured",
      [400, 0, 0],
      captureFailed,
      ["amount_mismatch"]
    ],
    ["ChargedBack: by a capture", "Operation", "failed for good", "Moves", "ChargedBack", [0, 0, 0], captureFailed]
  ],
  "a confirmed capture failed that refunds rest on": [
    [
      "PartiallyRefunded: by a capture",
      "Operation",
      "failed for good",
      "Moves",
      "PartiallyRefunded",
      [1000, 400, 0],
      ["payment.conflict"],
      refundsClosed
    ],
    [
      "Captured: by a capture, a refund pending",
      "Operation",
      "failed for good",
      "Moves",
      "Captured",
      [1000, 0, 400],
      ["payment.conflict"],
      refundsClosed
    ]
  ],
  "a capture failed, and the provider tries again": [
    ["Capturing: in flight", "Operation", "failed, and is tried again", "Confirms", "Capturing", [0, 0, 0]],
    ["CapturePending: accepted", "Operation", "failed, and is tried again", "Confirms", "CapturePending", [0, 0, 0]],
    [
      "Captured: by a capture",
      "Operation",
      "failed, and is tried again",
      "Moves",
      "CapturePending",
      [0, 0, 0],
      ["payment.pending"]
    ]
  ],
  "a success after a failure counts by its date": [
    ["Authorized: a capture failed", "Operation", "confirmed", "Moves", "Captured", [1000, 0, 0], ["payment.captured"]],
    ["Authorized: a capture failed", "Operation", "confirmed, dated before", "Older", "Authorized", [0, 0, 0]],
    ["Authorized: a capture failed", "Charge", "captured, dated before", "Older", "Authorized", [0, 0, 0]],
    ["Authorized: a void failed", "Operation", "confirmed, dated before", "Older", "Authorized", [0, 0, 0]],
    [
      "Captured: a refund reversed",
      "Refund",
      "succeeded, dated before",
      "Older",
      "Captured",
      [1000, 0, 0],
      [],
      ["reversal"]
    ],
    [
      "Captured: a refund reversed",
      "Refund",
      "succeeded",
      "Moves",
      "PartiallyRefunded",
      [1000, 400, 0],
      ["payment.conflict", "payment.refunded"],
      ["conflict", "reversal"]
    ]
  ],
  "money that is held, however it was to be captured": [
    [
      "Charging: of the attempt before",
      "Charge",
      "authorized",
      "Moves",
      "Authorized",
      [0, 0, 0],
      ["payment.authorized"]
    ],
    [
      "Captured: of the attempt before",
      "Charge",
      "authorized",
      "Moves",
      "Captured",
      [1000, 0, 0],
      ["payment.conflict"],
      ["double_charge"]
    ],
    [
      "Voided: by a void",
      "Charge",
      "authorized",
      "Moves",
      "Authorized",
      [0, 0, 0],
      ["payment.conflict", "payment.authorized"],
      ["conflict"]
    ],
    ["Voided: by a void", "Charge", "authorized, dated before", "Older", "Voided", [0, 0, 0]]
  ],
  "a void failed": [
    ["Voiding: in flight", "Operation", "failed for good", "Moves", "Authorized", [0, 0, 0], ["payment.void_failed"]],
    [
      "VoidPending: accepted",
      "Operation",
      "failed for good",
      "Moves",
      "Authorized",
      [0, 0, 0],
      ["payment.void_failed"]
    ],
    [
      "VoidUnknown: unanswered",
      "Operation",
      "failed for good",
      "Moves",
      "Authorized",
      [0, 0, 0],
      ["payment.void_failed"]
    ],
    [
      "Voided: by a void",
      "Operation",
      "failed for good",
      "Contradicts",
      "Voided",
      [0, 0, 0],
      ["payment.conflict"],
      ["conflict"]
    ]
  ],
  "a refund that had succeeded failed": [
    [
      "PartiallyRefunded: automatic capture",
      "Refund",
      "failed",
      "Moves",
      "Captured",
      [1000, 0, 0],
      ["payment.refund_failed"],
      ["reversal"]
    ],
    [
      "Refunded: automatic capture",
      "Refund",
      "failed",
      "Moves",
      "Captured",
      [1000, 0, 0],
      ["payment.refund_failed"],
      ["reversal"]
    ],
    [
      "ChargedBack: after a partial refund",
      "Refund",
      "failed",
      "Moves",
      "ChargedBack",
      [1000, 0, 0],
      ["payment.refund_failed"],
      ["reversal"]
    ]
  ],
  "a refund that was open ended, or goes on": [
    [
      "Captured: a refund pending",
      "Refund",
      "succeeded",
      "Moves",
      "PartiallyRefunded",
      [1000, 400, 0],
      ["payment.refunded"]
    ],
    ["Captured: a refund pending", "Refund", "failed", "Moves", "Captured", [1000, 0, 0], ["payment.refund_failed"]],
    ["Captured: a refund pending", "Refund", "pending", "Confirms", "Captured", [1000, 0, 400]],
    [
      "Captured: a refund unknown",
      "Refund",
      "succeeded",
      "Moves",
      "PartiallyRefunded",
      [1000, 400, 0],
      ["payment.refunded"]
    ],
    ["Captured: a refund unknown", "Refund", "failed", "Moves", "Captured", [1000, 0, 0], ["payment.refund_failed"]],
    [
      "Captured: a refund unknown",
      "Refund",
      "pending",
      "Moves",
      "Captured",
      [1000, 0, 400],
      ["payment.refund_pending"]
    ],
    [
      "Settled: a refund pending",
      "Refund",
      "succeeded",
      "Moves",
      "PartiallyRefunded",
      [1000, 400, 0],
      ["payment.refunded"]
    ],
    [
      "ChargedBack: a refund pending",
      "Refund",
      "succeeded",
      "Moves",
      "ChargedBack",
      [1000, 400, 0],
      ["payment.refunded"]
    ]
  ],
  "a refund succeeded that had failed": [
    [
      "Captured: a refund failed",
      "Refund",
      "succeeded",
      "Moves",
      "PartiallyRefunded",
      [1000, 400, 0],
      ["payment.conflict", "payment.refunded"],
      ["conflict"]
    ],
    ["Captured: a refund failed", "Refund", "succeeded, dated before", "Older", "Captured", [1000, 0, 0]],
    ...(["succeeded with 12.00", "succeeded in another currency"] as const).flatMap(
      (statement): ReadonlyArray<Row> => [
        [
          "Captured: a refund failed",
          "Refund",
          statement,
          "Contradicts",
          "Captured",
          [1000, 0, 0],
          ["payment.conflict"],
          ["conflict"]
        ],
        [
          "Captured: a refund reversed",
          "Refund",
          statement,
          "Contradicts",
          "Captured",
          [1000, 0, 0],
          ["payment.conflict"],
          ["conflict", "reversal"]
        ]
      ]
    ),
    ["Captured: a refund failed", "Refund", "pending", "Older", "Captured", [1000, 0, 0]],
    ["PartiallyRefunded: automatic capture", "Refund", "pending", "Older", "PartiallyRefunded", [1000, 400, 0]]
  ],
  "a greater captured amount": [
    [
      "Captured: by a partial capture",
      "Charge",
      "captured 10.00",
      "Moves",
      "Captured",
      [1000, 0, 0],
      mismatch,
      ["amount_mismatch"]
    ],
    [
      "Captured: by a partial capture",
      "Charge",
      "captured 12.00",
      "Moves",
      "Captured",
      [1000, 0, 0],
      mismatch,
      ["amount_mismatch"]
    ],
    [
      "Captured: automatic capture",
      "Charge",
      "captured 12.00",
      "Moves",
      "Captured",
      [1000, 0, 0],
      mismatch,
      ["amount_mismatch"]
    ],
    [
      "Refunded: by a partial capture",
      "Charge",
      "captured 10.00",
      "Moves",
      "PartiallyRefunded",
      [1000, 600, 0],
      mismatch,
      ["amount_mismatch"]
    ]
  ],
  "another amount, currency or charge is money, and is not dropped": [
    ...(["authorized 6.00", "authorized 12.00", "authorized in another currency"] as const).map(
      (statement): Row => [
        "Authorized: not captured yet",
        "Charge",
        statement,
        "Contradicts",
        "Authorized",
        [0, 0, 0],
        ["payment.conflict"],
        ["conflict"]
      ]
    ),
    ["Captured: automatic capture", "Charge", "authorized 6.00", "Older", "Captured", [1000, 0, 0]],
    [
      "Captured: automatic capture",
      "Charge",
      "authorized 12.00",
      "Contradicts",
      "Captured",
      [1000, 0, 0],
      ["payment.conflict"],
      ["conflict"]
    ],
    [
      "Captured: automatic capture",
      "Charge",
      "captured 6.00",
      "Contradicts",
      "Captured",
      [1000, 0, 0],
      ["payment.conflict"],
      ["conflict"]
    ],
    [
      "Captured: automatic capture",
      "Charge",
      "captured in another currency",
      "Contradicts",
      "Captured",
      [1000, 0, 0],
      ["payment.conflict"],
      ["conflict"]
    ],
    [
      "Captured: automatic capture",
      "Charge",
      "captured under another reference",
      "Moves",
      "Captured",
      [1000, 0, 0],
      ["payment.conflict"],
      ["double_charge"]
    ],
    [
      "Captured: of the attempt before",
      "Charge",
      "captured",
      "Moves",
      "Captured",
      [1000, 0, 0],
      ["payment.conflict"],
      ["double_charge"]
    ],
    [
      "PartiallyRefunded: automatic capture",
      "Refund",
      "succeeded under another reference",
      "Contradicts",
      "PartiallyRefunded",
      [1000, 400, 0],
      ["payment.conflict"],
      ["conflict"]
    ]
  ],
  "the provider's time orders the statements about a dispute": [
    ["Captured: a dispute was won", "Dispute", "opened", "Moves", "ChargedBack", [1000, 0, 0], ["payment.chargeback"]],
    ["Captured: a dispute was won", "Dispute", "opened, dated before", "Older", "Captured", [1000, 0, 0]],
    ["Captured: a dispute was won", "Dispute", "updated without a status", "Confirms", "Captured", [1000, 0, 0]],
    ["Captured: a dispute was won", "Dispute", "lost, dated before", "Older", "Captured", [1000, 0, 0]],
    ["ChargedBack: a dispute was lost", "Dispute", "won, dated before", "Older", "ChargedBack", [1000, 0, 0]],
    [
      "ChargedBack: a dispute was opened",
      "Dispute",
      "lost, with the status won",
      "Contradicts",
      "ChargedBack",
      [1000, 0, 0],
      ["payment.conflict"],
      ["conflict"]
    ],
    ["ChargedBack: a dispute was opened", "Dispute", "another one won", "Confirms", "ChargedBack", [1000, 0, 0]],
    [
      "ChargedBack: after a partial refund",
      "Dispute",
      "won",
      "Moves",
      "PartiallyRefunded",
      [1000, 400, 0],
      ["payment.chargeback_reversed"]
    ]
  ]
}
