import { Effect, Result } from "effect"
import type { Supports } from "../model/Connection.ts"
import type { ProviderAccount } from "../model/ProviderAccount.ts"
import type {
  ChargeAnswer,
  ChargeRecord,
  CheckoutOpened,
  Found,
  NotSent,
  OperationAnswer,
  OperationState,
  RefundAnswer,
  RefundState,
  Rejected,
  StatedDispute,
  SubmissionAnswer,
  SubmissionState,
  Unanswered
} from "../model/ProviderStatement.ts"
import type {
  CaptureRequest,
  ChargeLookup,
  ChargeRequest,
  CheckoutRequest,
  CompletionRequest,
  Connector,
  ConnectorDefinition,
  DisputeLookup,
  DisputeQuestion,
  DisputeRequest,
  DisputeSubmission,
  EvidenceFields,
  FetchedReport,
  OperationLookup,
  RefundLookup,
  RefundRequest,
  ReportPage,
  VoidRequest
} from "../ports/Connector.ts"
import type { ListedCharge, ListedDispute, ListedPage, ListedRefund, ListRequest } from "../ports/ProviderLists.ts"

type Asked<Request> = Request & { readonly connectionId: string }
type Answers<Request, Answer> = (request: Asked<Request>) => Effect.Effect<Answer, NotSent | Unanswered>

/** A provider that answers as a test tells it, and remembers what it was asked. */
export interface ScriptedProvider {
  readonly definition: ConnectorDefinition
  /** Every call that reached it, in order. */
  readonly charges: Array<Asked<ChargeRequest>>
  readonly captures: Array<Asked<CaptureRequest>>
  readonly voids: Array<Asked<VoidRequest>>
  readonly refunds: Array<Asked<RefundRequest>>
  readonly submissions: Array<Asked<DisputeSubmission>>
  readonly acceptances: Array<Asked<DisputeRequest>>
  readonly disputeLookUps: Array<Asked<DisputeLookup>>
  readonly checkouts: Array<Asked<CheckoutRequest>>
  readonly completions: Array<Asked<CompletionRequest>>
  readonly lookUps: Array<Asked<ChargeLookup>>
  readonly operationLookUps: Array<Asked<OperationLookup>>
  readonly disputesRead: Array<Asked<DisputeQuestion>>
  readonly refundLookUps: Array<Asked<RefundLookup>>
  /** The connections whose account was asked for. */
  readonly accounts: Array<string>
  readonly lists: Array<Asked<ListRequest>>
  /** What it answers; it does what it is asked unless told otherwise. */
  onCharge: Answers<ChargeRequest, ChargeAnswer>
  onCapture: Answers<CaptureRequest, OperationAnswer>
  onVoid: Answers<VoidRequest, OperationAnswer>
  onRefund: Answers<RefundRequest, RefundAnswer>
  onSubmitDispute: Answers<DisputeSubmission, SubmissionAnswer>
  onAcceptDispute: Answers<DisputeRequest, SubmissionAnswer>
  /** As `onLookUpCharge`. */
  onLookUpDispute: Answers<DisputeLookup, Found<SubmissionState>>
  /** `undefined` where it cannot read disputes; asked as a connection is first used. It cannot unless told otherwise. */
  onReadDispute: Answers<DisputeQuestion, Found<StatedDispute>> | undefined
  onOpenCheckout: Answers<CheckoutRequest, CheckoutOpened | Rejected>
  /** `undefined` where its checkouts need no further step; asked as a connection is first used. They need none unless told otherwise. */
  onCompleteCheckout: Answers<CompletionRequest, ChargeAnswer> | undefined
  /** Finds nothing, and not conclusively, unless told otherwise. */
  onLookUpCharge: Answers<ChargeLookup, Found<ChargeRecord>>
  /** `undefined` where it cannot look operations up; asked as a connection is first used. It cannot unless told otherwise. */
  onLookUpOperation: Answers<OperationLookup, Found<OperationState>> | undefined
  /** As `onLookUpCharge`. */
  onLookUpRefund: Answers<RefundLookup, Found<RefundState>>
  /** `undefined` where it has no accounts; asked as a connection is first used. It has none unless told otherwise. */
  onAccount: ((connectionId: string) => Effect.Effect<ProviderAccount, NotSent | Unanswered>) | undefined
  /** `undefined` where it has no list; asked as a connection is first used. It has none unless told otherwise. */
  onListCharges: Answers<ListRequest, ListedPage<ListedCharge>> | undefined
  onListRefunds: Answers<ListRequest, ListedPage<ListedRefund>> | undefined
  onListDisputes: Answers<ListRequest, ListedPage<ListedDispute>> | undefined
  /** Its report `scripted-balance`; `undefined` where it has none. Asked as a connection is first used. It has none unless told otherwise. */
  onListReport: Answers<ListRequest, ReportPage> | undefined
  /** The text of a file that a page of the report named; empty unless told otherwise. */
  onDownloadReport: (file: string) => Effect.Effect<string | null, NotSent | Unanswered>
  /** Which connections can open a checkout; asked as a connection is first used. All of them unless told otherwise. */
  opensCheckouts: (connectionId: string) => boolean
}

export interface ScriptedProviderOptions {
  readonly name?: string
  readonly supports?: Supports
  readonly expresses?: ConnectorDefinition["expresses"]
  readonly evidence?: EvidenceFields
  /** What its connector cannot do. */
  readonly without?: ReadonlyArray<"capture" | "void" | "refund" | "submitDispute" | "acceptDispute">
}

const declared = ({ evidence, expresses, supports = {} }: ScriptedProviderOptions) => ({
  supports,
  ...(expresses && { expresses }),
  ...(evidence && { evidence })
})

export const scriptedProvider = (options: ScriptedProviderOptions = {}) => {
  const provider: ScriptedProvider = {
    ...nothingAsked(),
    onCharge: approve,
    onCapture: ({ money, providerRef }) => Effect.succeed({ _tag: "Captured", providerRef, stated: money }),
    onVoid: ({ providerRef }) => Effect.succeed({ _tag: "Canceled", providerRef }),
    onRefund: ({ refundId }) => Effect.succeed({ _tag: "Succeeded", providerRefundId: `ref_${refundId}` }),
    onSubmitDispute: () => Effect.succeed({ _tag: "SubmissionDone" }),
    onAcceptDispute: () => Effect.succeed({ _tag: "SubmissionDone" }),
    onLookUpDispute: () => Effect.succeed({ _tag: "NotFound", conclusive: false }),
    onReadDispute: undefined,
    onOpenCheckout: ({ attemptId }) =>
      Effect.succeed({
        _tag: "CheckoutOpened",
        reference: `co_${attemptId}`,
        url: `https://provider.example/pay/${attemptId}`,
        expiresAt: null
      }),
    onCompleteCheckout: undefined,
    onLookUpCharge: () => Effect.succeed({ _tag: "NotFound", conclusive: false }),
    onLookUpOperation: undefined,
    onLookUpRefund: () => Effect.succeed({ _tag: "NotFound", conclusive: false }),
    onAccount: undefined,
    onListCharges: undefined,
    onListRefunds: undefined,
    onListDisputes: undefined,
    opensCheckouts: () => true,
    definition: {
      name: options.name ?? "scripted",
      environments: ["sandbox", "production"],
      ...declared(options),
      connect: ({ connectionId }) => {
        const asked = <Request, Answer>(
          calls: Array<Asked<Request>>,
          answers: () => Answers<Request, Answer>
        ): ((request: Request) => Effect.Effect<Answer, NotSent | Unanswered>) => {
          return (request) =>
            Effect.suspend(() => {
              const call = { ...request, connectionId }
              calls.push(call)
              return answers()(call)
            })
        }
        const { onAccount, onCompleteCheckout, onListCharges, onListRefunds, onListReport } = provider
        const { onListDisputes, onLookUpOperation, onReadDispute } = provider
        const connector: Connector = {
          charge: asked(provider.charges, () => provider.onCharge),
          lookUpCharge: asked(provider.lookUps, () => provider.onLookUpCharge),
          lookUpDispute: asked(provider.disputeLookUps, () => provider.onLookUpDispute),
          lookUpRefund: asked(provider.refundLookUps, () => provider.onLookUpRefund),
          ...ifSet(onLookUpOperation, (given) => ({
            lookUpOperation: asked(provider.operationLookUps, () => provider.onLookUpOperation ?? given)
          })),
          ...ifSet(onReadDispute, (given) => ({
            readDispute: asked(provider.disputesRead, () => provider.onReadDispute ?? given)
          })),
          ...(onAccount === undefined
            ? {}
            : {
                account: () =>
                  Effect.suspend(() => {
                    provider.accounts.push(connectionId)
                    return (provider.onAccount ?? onAccount)(connectionId)
                  })
              }),
          ...ifSet(onListCharges, (given) => ({
            listCharges: asked(provider.lists, () => provider.onListCharges ?? given)
          })),
          ...ifSet(onListRefunds, (given) => ({
            listRefunds: asked(provider.lists, () => provider.onListRefunds ?? given)
          })),
          ...ifSet(onListDisputes, (given) => ({
            listDisputes: asked(provider.lists, () => provider.onListDisputes ?? given)
          })),
          ...(onListReport === undefined ? {} : { reports: reportsBy(provider, connectionId, onListReport) }),
          ...(onCompleteCheckout === undefined
            ? {}
            : {
                completeCheckout: asked(provider.completions, () => provider.onCompleteCheckout ?? onCompleteCheckout)
              }),
          ...(provider.opensCheckouts(connectionId)
            ? { openCheckout: asked(provider.checkouts, () => provider.onOpenCheckout) }
            : {})
        }
        const able = {
          capture: asked(provider.captures, () => provider.onCapture),
          void: asked(provider.voids, () => provider.onVoid),
          refund: asked(provider.refunds, () => provider.onRefund),
          submitDispute: asked(provider.submissions, () => provider.onSubmitDispute),
          acceptDispute: asked(provider.acceptances, () => provider.onAcceptDispute)
        }
        for (const missing of options.without ?? []) Reflect.deleteProperty(able, missing)
        return Result.succeed({ ...connector, ...able })
      }
    }
  }
  return provider
}

const ifSet = <Given, Made extends object>(given: Given | undefined, make: (given: Given) => Made) =>
  given === undefined ? {} : make(given)

const reportsBy = (
  provider: ScriptedProvider,
  connectionId: string,
  onListReport: Answers<ListRequest, ReportPage>
): ReadonlyArray<FetchedReport> => [
  {
    name: "scripted-balance",
    delayMillis: 2 * 24 * 60 * 60_000,
    list: (request) =>
      Effect.suspend(() => {
        const asked = { ...request, connectionId }
        provider.lists.push(asked)
        return (provider.onListReport ?? onListReport)(asked)
      }),
    download: (file) => Effect.suspend(() => provider.onDownloadReport(file))
  }
]

const nothingAsked = () => ({
  onListReport: undefined,
  onDownloadReport: () => Effect.succeed(""),
  charges: [],
  captures: [],
  voids: [],
  refunds: [],
  submissions: [],
  acceptances: [],
  disputeLookUps: [],
  checkouts: [],
  completions: [],
  lookUps: [],
  operationLookUps: [],
  disputesRead: [],
  refundLookUps: [],
  accounts: [],
  lists: []
})

/** Takes or holds the amount asked for. */
export const approve = (request: ChargeRequest): Effect.Effect<ChargeAnswer> =>
  Effect.succeed({
    _tag: request.capture ? "Captured" : "Authorized",
    providerRef: `ref_${request.attemptId}`
  })
