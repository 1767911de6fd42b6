/**
 * A merchant's key that the store lost, and whose charge was recovered: the attempt ids that are derived from the key
 * are on file, so the request is answered from their payment, and no provider is asked.
 *
 * Nothing is read while no loss was ever known, which this process knows without asking.
 */
import { Clock, Effect, Option } from "effect"
import { attemptId } from "../../call/CallIds.ts"
import { decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import {
  type Caller,
  type Created,
  type CreateRequest,
  KeyReused,
  PaymentResultUnknown
} from "../../decide/CreateRequest.ts"
import { startOfDay } from "../../decide/DerivedId.ts"
import { keyRetentionMillis, moveClaim, newClaim } from "../../model/Claim.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { statusOf } from "../../model/PaymentMachine.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { type RecordLoss, RecordLosses } from "../../ports/RecordLoss.ts"
import { claimStanding, free, type KeyStanding, readClaim } from "./ReplayCreate.ts"

/**
 * A key lives for 24 hours from its answer, and that of a pending charge for as long as it is pending. For so long after a
 * loss its keys are looked for. Each costs two reads for a day of the loss at every connection.
 */
const comparedForMillis = 8 * keyRetentionMillis
/** The last ones of a longer loss. */
const daysAtMost = 8
/** The clock of a server and that of its store differ by less. */
const clockMillis = 60 * 60_000

/** What the key of a request was answered before the loss; `undefined` where nothing of it is on file. */
export const recoveredKey = Effect.fnUntraced(function* (
  caller: Caller,
  request: CreateRequest,
  fingerprint: string | null
) {
  const { idempotencyKey: key } = request
  const loss = yield* (yield* RecordLosses).known
  if (loss === null || key === null || fingerprint === null) return undefined
  if (isOver(loss, yield* Clock.currentTimeMillis)) return undefined
  return yield* answerFromRecovered(caller, request, key, fingerprint, loss).pipe(
    Effect.catchTags({
      NotWritten: ({ cause }) => Effect.fail(unknown(cause)),
      MaybeWritten: ({ cause }) => Effect.fail(unknown(cause)),
      Contended: () => Effect.fail(unknown("other writers kept winning"))
    })
  )
})

const isOver = ({ declaredAt }: RecordLoss, now: number): boolean => now >= declaredAt + comparedForMillis

/** It is not known what the key was answered. */
const unknown = (cause: unknown) => new PaymentResultUnknown({ paymentId: "", cause })

interface Standing {
  readonly standing: KeyStanding
  /** Absent where the key is answered. */
  readonly found: PaymentBook | undefined
}

type Outcome = Created | undefined

const answerFromRecovered = Effect.fnUntraced(function* (
  { apiKeyHash, tenant }: Caller,
  request: CreateRequest,
  key: string,
  fingerprint: string,
  loss: RecordLoss
) {
  return yield* decideAndCommit({
    read: (conflict) =>
      Effect.gen(function* () {
        const claim = yield* readClaim(tenant, key, conflict)
        const standing: KeyStanding = claim === null ? free(null) : yield* claimStanding(tenant, fingerprint, claim)
        return { standing, found: standing._tag === "Free" ? yield* findRecovered(tenant, key, loss) : undefined }
      }),
    decide: ({ found, standing }: Standing, now) =>
      Effect.gen(function* () {
        if (standing._tag === "Answered") return done<Outcome>(standing.created)
        if (found === undefined) return done<Outcome>(undefined)
        const { payment } = found
        const { money } = request.details
        // What the request said besides was lost with its fingerprint.
        if (money.currency !== payment.money.currency || money.minorUnits !== payment.money.minorUnits) {
          return yield* new KeyReused()
        }
        const answer = { ...payment, idempotencyKey: key, version: payment.version + 1 }
        const claimed = newClaim({ key, fingerprint, paymentId: payment.id, claimedAt: payment.createdAt })
        const answered = moveClaim(claimed, "RequestAnswered", { answeredAt: now, answer })
        const before = standing.claim?.version ?? 0
        const step = {
          tenant,
          apiKeyHash,
          payment: { expected: payment.version, after: answer },
          attempts: [],
          events: [],
          // Two moves, one write: the version counts writes.
          claim: { expected: before, after: { ...answered, version: before + 1 } }
        }
        return write<Outcome>(step, { payment: answer, isReplay: true })
      }),
    // Where it was written, the key has its answer.
    afterUnknown: () => false,
    storageErrors: "fail"
  })
})

/** As for a key that was answered before its payment was settled; what may still be charged keeps the key. */
const isRetentionOver = ({ payment }: PaymentBook, now: number): boolean =>
  statusOf[payment.state] !== "UNKNOWN" && payment.settledAt !== null && now >= payment.settledAt + keyRetentionMillis

const holdsMoney = ({ payment }: PaymentBook): boolean => payment.authorizedMinor > 0

/**
 * The recovered payment of the key: one that holds money before all others. Every connection is compared, because a circuit
 * may have opened since.
 */
const findRecovered = Effect.fnUntraced(function* (tenant: Caller["tenant"], key: string, loss: RecordLoss) {
  const ledger = yield* Ledger
  const directory = yield* Directory
  const now = yield* Clock.currentTimeMillis
  const connections = yield* directory.connections(tenant)
  const found: Array<PaymentBook> = []
  for (const { id: connectionId } of connections) {
    for (const createdAt of daysOf(loss, now)) {
      for (const asks of ["charge", "checkout"] as const) {
        const id = yield* attemptId({ tenant, idempotencyKey: key, createdAt, asks }, connectionId)
        const book = Option.getOrUndefined(yield* ledger.bookOf(tenant, { attemptId: id }))?.book
        if (book?.payment.reported?.isRecovered !== true || book.payment.idempotencyKey !== null) continue
        if (!isRetentionOver(book, now)) found.push(book)
      }
    }
  }
  return found.find(holdsMoney) ?? found.toSorted((a, b) => b.payment.createdAt - a.payment.createdAt)[0]
})

/** The beginnings of UTC days. Yesterday may be one of a loss before this one, which was recovered. */
const daysOf = ({ declaredAt, since }: RecordLoss, now: number): ReadonlySet<number> => {
  const isRecent = now < declaredAt + 2 * keyRetentionMillis
  const days = new Set(isRecent ? [startOfDay(now), startOfDay(now - keyRetentionMillis)] : [])
  const lastDay = startOfDay(declaredAt + clockMillis)
  for (let day = lastDay; day > lastDay - daysAtMost * keyRetentionMillis; day -= keyRetentionMillis) {
    if (day + keyRetentionMillis > since - clockMillis) days.add(day)
  }
  return days
}
