/** What a run leaves behind, for its evaluation: requests, responses, and the final state. */
import type { Books } from "./Books.ts"

/** A payment as the API shows it, as far as it is read here. Amounts in minor units. */
export interface PaymentShown {
  readonly payment_id: string
  readonly reference: string
  readonly status: string
  readonly amount: number
  readonly currency: string
  readonly capture_method: string
  readonly captured_amount: number
  readonly refunded_amount: number
  readonly refund_pending_amount: number
  readonly created: string
}

export interface EventShown {
  readonly id: string
  readonly type: string
  readonly created: string
  readonly data: { readonly payment_id: string } & Readonly<Record<string, unknown>>
}

export interface Answer {
  readonly status: number
  /** The error's code; `null` for a 2xx. */
  readonly code: string | null
  readonly payment: PaymentShown | null
  /** The whole body as it came. */
  readonly text: string
  /** Whether the database was away while it was asked for: then it may say that the server could not do it. */
  readonly duringOutage: boolean
}

/** One thing that the merchant wanted, however often it was asked for. */
export interface Wish {
  readonly kind: "create" | "capture" | "void" | "refund"
  /** A create's `reference`, a refund's `reason`: by this the provider's books know it, too. */
  readonly name: string
  /** Of what is captured, voided or refunded. */
  readonly paymentId: string | null
  readonly key: string | null
  /** Minor units; `null` for all there is. */
  readonly amount: number | null
  readonly answers: Array<Answer>
  /** How often no answer came, as the server was killed. */
  lost: number
}

export interface Evidence {
  readonly wishes: ReadonlyArray<Wish>
  /** Payments that were read on the way, each as it was shown. */
  readonly seen: ReadonlyArray<PaymentShown>
  /** All payments in the end. */
  readonly payments: ReadonlyArray<PaymentShown>
  /** By payment id, oldest first. */
  readonly timelines: ReadonlyMap<string, ReadonlyArray<EventShown>>
  /** All events in the end, oldest first. */
  readonly events: ReadonlyArray<EventShown>
  /** What the follower saw, in the order in which it did. */
  readonly followed: ReadonlyArray<EventShown>
  readonly endpoints: ReadonlyArray<{
    readonly name: string
    readonly wants: (type: string) => boolean
    readonly heard: ReadonlyMap<
      string,
      { readonly bodies: ReadonlySet<string>; readonly deliveryIds: ReadonlySet<string> }
    >
  }>
  readonly books: Books
}

export const unless = (isTrue: boolean, sentence: string): ReadonlyArray<string> => (isTrue ? [] : [sentence])
