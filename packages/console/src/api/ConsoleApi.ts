/** The console's API, under `<mount>/api`: the endpoints of all areas, and the action that each of them takes. */
import { HttpApi } from "effect/http-api"
import { Account, accountAccess, Entry } from "../account/AccountApi.ts"
import { AuditTrail, auditAccess } from "../audit/AuditApi.ts"
import { Connections, connectionAccess } from "../connections/ConnectionApi.ts"
import { Days, dayAccess } from "../day/DayApi.ts"
import type { AccessOf } from "../gate/Access.ts"
import { Keys, keyAccess } from "../keys/KeyApi.ts"
import { Messages, messageAccess } from "../messages/MessageApi.ts"
import { OperatorGroup, operatorAccess } from "../operators/OperatorApi.ts"
import { Partners, partnerAccess } from "../partners/PartnerApi.ts"
import { Passkeys, passkeyAccess } from "../passkeys/PasskeyApi.ts"
import { Payments, paymentAccess } from "../payments/PaymentApi.ts"
import { Books, bookAccess } from "../reconciliation/BooksApi.ts"
import { Payouts, payoutAccess } from "../reconciliation/PayoutApi.ts"
import { Reviews, reviewAccess } from "../reviews/ReviewApi.ts"
import { Routing, routingAccess } from "../routing/RoutingApi.ts"
import { Webhooks, webhookAccess } from "../webhooks/WebhookApi.ts"

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
  ...accountAccess,
  ...dayAccess,
  ...paymentAccess,
  ...reviewAccess,
  ...messageAccess,
  ...routingAccess,
  ...connectionAccess,
  ...keyAccess,
  ...partnerAccess,
  ...operatorAccess,
  ...auditAccess,
  ...webhookAccess,
  ...passkeyAccess,
  ...payoutAccess,
  ...bookAccess
} as const satisfies AccessOf<Guarded>
