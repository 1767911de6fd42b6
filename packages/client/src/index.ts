export type { CallOptions, MoneyOptions } from "./Call.ts"
export { type Client, createClient, type DisputeResult, type Evidence, type PaymentResult } from "./Client.ts"
export type {
  ApiErrorCode,
  CapturePayment,
  CreateMerchant,
  CreatePayment,
  Decline,
  DeclineCategory,
  Dispute,
  DisputeReason,
  DisputeStatus,
  DisputesQuery,
  EventsQuery,
  Json,
  Merchant,
  MerchantsQuery,
  NextAction,
  PaymentMethod,
  PaymentMethodName,
  PaymentStatus,
  PaymentsQuery,
  PurchaseLine,
  Refund,
  RefundPayment,
  RefundSettlement,
  RoutingDecision,
  RoutingExclusion,
  Settlement,
  SimulatedCharge,
  Simulation,
  TimelineQuery
} from "./Contract.ts"
export { isPointsmanError, type OwnErrorCode, type PointsmanError, type PointsmanErrorCode } from "./Errors.ts"
export type { Event, EventOf, EventType } from "./Event.ts"
export type * from "./EventData.ts"
export type { Page, Pages } from "./Pages.ts"
export type { Payment, PaymentOf } from "./Payment.ts"
export type { ClientSettings } from "./Settings.ts"
export { type IncomingWebhook, type VerifiedWebhook, webhooks } from "./Webhooks.ts"
