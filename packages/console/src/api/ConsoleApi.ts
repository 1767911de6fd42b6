/** The console's API, under `<mount>/api`: the endpoints of all areas, and the action that each of them takes. */
import { HttpApi } from "effect/http-api"
import { Account, Entry } from "../account/AccountApi.ts"
import { AuditTrail } from "../audit/AuditApi.ts"
import { Connections } from "../connections/ConnectionApi.ts"
import { Days } from "../day/DayApi.ts"
import type { AccessOf } from "../gate/Access.ts"
import { Keys } from "../keys/KeyApi.ts"
import { Messages } from "../messages/MessageApi.ts"
import { OperatorGroup } from "../operators/OperatorApi.ts"
import { Partners } from "../partners/PartnerApi.ts"
import { Passkeys } from "../passkeys/PasskeyApi.ts"
import { Payments } from "../payments/PaymentApi.ts"
import { Books } from "../reconciliation/BooksApi.ts"
import { Payouts } from "../reconciliation/PayoutApi.ts"
import { Reviews } from "../reviews/ReviewApi.ts"
import { Routing } from "../routing/RoutingApi.ts"
import { Webhooks } from "../webhooks/WebhookApi.ts"

export class ConsoleApi extends HttpApi.make("pointsman-console")
  .add(
    Entry,
    Account,
    Days,
    Payments,
    Reviews,
    Messages,
    Routing,
    Connections,
    Keys,
    Partners,
    OperatorGroup,
    AuditTrail,
    Webhooks,
    Passkeys,
    Payouts,
    Books
  )
  .prefix("/api") {}

type Groups = (typeof ConsoleApi)["groups"]
type Guarded = Groups[Exclude<keyof Groups, "entry">]

/** An endpoint that needs a session and is not here does not compile. */
export const accessOf = {
  me: "signedIn",
  signOutEverywhere: "signedIn",
  setPassword: "signedIn",
  day: "payment.read",
  payments: "payment.read",
  exportPayments: "payment.read",
  payment: "payment.read",
  capture: "payment.capture",
  void: "payment.void",
  refund: "payment.refund",
  reviews: "review.resolve",
  review: "review.resolve",
  evidence: "review.resolve",
  corrections: "review.resolve",
  approveCorrection: "correction.decide",
  rejectCorrection: "correction.decide",
  withdrawCorrection: "correction.decide",
  messages: "message.apply",
  message: "message.apply",
  applyMessage: "message.apply",
  routing: "routing.read",
  successRates: "routing.read",
  successHistory: "routing.read",
  previewRouting: "routing.read",
  connections: "connection.read",
  connection: "connection.read",
  keys: "key.manage",
  keyDraft: "key.manage",
  createKey: "key.manage",
  revokeKey: "key.manage",
  partners: "usage.read",
  partnerMerchants: "usage.read",
  inviteMerchant: "merchant.invite",
  usage: "usage.read",
  operators: "operator.manage",
  addOperator: "operator.manage",
  editOperator: "operator.manage",
  removeOperator: "operator.manage",
  createSignInLink: "operator.manage",
  auditTrail: "audit.read",
  workspaceAudit: "audit.read",
  endpoints: "payment.read",
  endpoint: "payment.read",
  rotateSecret: "endpoint.manage",
  deliveries: "payment.read",
  delivery: "payment.read",
  redeliver: "webhook.redeliver",
  passkeys: "addPasskey",
  beginPasskey: "addPasskey",
  addPasskey: "addPasskey",
  removePasskey: "signedIn",
  payouts: "reconciliation.read",
  payout: "reconciliation.read",
  payoutEntries: "reconciliation.read",
  exportPayout: "reconciliation.read",
  readReport: "difference.close",
  balances: "reconciliation.read",
  journal: "reconciliation.read"
} as const satisfies AccessOf<Guarded>
