/** How the replies to captures, voids and refunds are stored: the payment that a reply shows is an answer. */
import type { Payment } from "@pointsman/core"
import { bindJson, type Owner, type Row, readJson } from "./Columns.ts"
import { answerOf, type StoredAnswer, shortAnswer } from "./ShortAnswer.ts"

/** One that shows a payment, and others. */
type Reply = { readonly _tag: string; readonly payment?: Payment | undefined } | null

export const bindReply = (reply: Reply, at: number | null, { payment: { after } }: Owner): string | null =>
  bindJson(
    reply?.payment === undefined
      ? reply
      : { ...reply, payment: shortAnswer(reply.payment, { at, key: after.idempotencyKey }, after) }
  )

/** `payment`: that of the reply, which completes it. */
export const readReply = <A extends Reply>(row: Row, payment: Payment): A => {
  const stored = readJson<{ readonly payment?: StoredAnswer } | null>(row["reply"])
  if (stored?.payment === undefined) return stored as A
  const answered = { at: row["answered_at"] as number | null, key: payment.idempotencyKey }
  return { ...stored, payment: answerOf(stored.payment, answered, payment) } as unknown as A
}
