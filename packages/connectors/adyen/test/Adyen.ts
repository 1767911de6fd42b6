/** Adyen as the documentation describes it: an account, its raw answers, and its signed webhooks. All of it is made up. */
import { answering } from "@pointsman/contracts/connector"
import type { TransportAnswer } from "@pointsman/core/connector"

export const apiKey = "AQEyhmfuXNWTK0Qc+made/up-0123456789=-a{b"
export const merchantAccount = "PointsmanNL"
export const credentials = { apiKey, merchantAccount, liveUrlPrefix: "1797a841fbb37ca7-Pointsman" }

/** The HMAC key of the published example; see `Signature.test.ts`. */
export const hmacKey = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056"

export const answer = answering({ "content-type": "application/json" })

/** An error as the Checkout API writes it. */
export const serviceError = (
  status: number,
  errorCode: string,
  message: string,
  errorType = "validation",
  headers: Readonly<Record<string, string>> = {}
): TransportAnswer => answer(status, { status, errorCode, message, errorType }, headers)

/** The item of a webhook, before it is signed. */
export interface Item {
  readonly eventCode: string
  readonly success: string
  readonly pspReference: string
  readonly originalReference?: string
  readonly merchantReference: string
  readonly amount?: { readonly value: number; readonly currency: string }
  readonly merchantAccountCode?: string
  readonly eventDate?: string
  readonly reason?: string
  readonly additionalData?: Readonly<Record<string, string>>
}

export type WholeItem = Required<Omit<Item, "originalReference">> & Pick<Item, "originalReference">

export const whole = (item: Item): WholeItem => ({
  amount: { value: 1234, currency: "EUR" },
  merchantAccountCode: merchantAccount,
  eventDate: "2026-11-21T13:00:00+01:00",
  reason: "",
  additionalData: {},
  ...item
})

export const envelope = (...items: ReadonlyArray<object>): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      live: "false",
      notificationItems: items.map((item) => ({ NotificationRequestItem: item }))
    })
  )
