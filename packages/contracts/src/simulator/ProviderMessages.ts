/** What the simulated provider writes of its own accord, and how it writes it. */
import type { ChargeName, MessageAbout, OperationState, StatedCapture } from "@pointsman/core/ports"
import {
  type ChargeRecord,
  capturedByUs,
  type DisputeVerdict,
  type OperationRecord,
  providerRefundIdOf,
  type RefundRecord,
  refundStateOf,
  stateOf
} from "./ProviderBooks.ts"
import { type Letter, unreadableBody, writeProviderMessage } from "./ProviderMail.ts"
import type { Time } from "./Time.ts"

/** In what a provider differs from others, all through a run. */
export interface ProviderWays {
  /** It writes of a capture or a void that was done by its id; else of the charge. */
  readonly writesOfOperations: boolean
  /** The amount of a capture is in its messages alone, and in no answer. */
  readonly answersWithoutAmounts: boolean
  /** A payout or a dispute names the charge by the provider's own reference; else by our attempt's id. */
  readonly namesByReference: boolean
  /** A capture that was asked for or made by hand has an id and its own amount; else the charge has a total. */
  readonly givesCaptureIds: boolean
  /** It writes of our refunds by our id; else as of any other. */
  readonly namesRefunds: boolean
  /** The record of a charge lists its refunds. */
  readonly listsRefunds: boolean
}

export const plainWays: ProviderWays = {
  writesOfOperations: false,
  answersWithoutAmounts: false,
  namesByReference: false,
  givesCaptureIds: false,
  namesRefunds: true,
  listsRefunds: false
}

/** The provider's id of a capture of ours. */
export const captureIdOf = (operationId: string): string => `cp_${operationId}`

export interface ProviderMessages {
  /** The state of a charge; a lookup tells it too, unless `isOnlyWord`. */
  readonly ofCharge: (charge: ChargeRecord, isOnlyWord?: boolean) => Letter
  /** A capture or a void that is done. */
  readonly ofDone: (charge: ChargeRecord, operation: OperationRecord, isOnlyWord?: boolean) => Letter
  /** A capture that a person made. */
  readonly ofCaptureByHand: (
    charge: ChargeRecord,
    capture: { readonly id: string; readonly minorUnits: number }
  ) => void
  /** What is not captured of a charge is released. */
  readonly ofRelease: (charge: ChargeRecord) => void
  /** A capture or a void failed; `isFinal: false` where the provider tries again by itself. */
  readonly ofFailure: (charge: ChargeRecord, operation: OperationRecord, isFinal: boolean) => Letter
  readonly ofRefund: (refund: RefundRecord, isOnlyWord?: boolean) => void
  readonly ofPayout: (charge: ChargeRecord) => void
  readonly ofDispute: (charge: ChargeRecord, disputeId: string | null, verdict: DisputeVerdict) => Letter
  /** Something that its own connector cannot read. */
  readonly unreadable: (connectionId: string) => void
  /** Something about a charge that was made elsewhere, with the same account. */
  readonly ofOthers: (connectionId: string) => void
}

export interface MessagesOptions {
  readonly time: Time
  readonly ways: ProviderWays
  readonly onLetter: ((letter: Letter) => void) | undefined
}

export const providerMessages = ({ onLetter, time, ways }: MessagesOptions): ProviderMessages => {
  let count = 0
  let writtenAt = 0

  const send = (about: Omit<Letter, "id" | "at" | "body">, bodyOf: (id: string, at: number) => Uint8Array): Letter => {
    count += 1
    // No two statements have one time: what came first is what the provider dates first.
    writtenAt = Math.max(time.now(), writtenAt + 1)
    const id = `pm_${count}`
    const letter = { ...about, id, at: writtenAt, body: bodyOf(id, writtenAt) }
    onLetter?.(letter)
    return letter
  }
  const tell = (
    connectionId: string,
    about: MessageAbout,
    mayBeLost: boolean,
    { isReported = false, storedAs = "decided" }: Partial<Pick<Letter, "isReported" | "storedAs">> = {}
  ) =>
    send({ connectionId, about: about._tag, mayBeLost, isReported, storedAs }, (id, at) =>
      writeProviderMessage({ id, at, about })
    )

  const ofCharge = (charge: ChargeRecord, isOnlyWord = false) => {
    const { attemptId, connectionId } = charge
    const state = stateOf(charge)
    return tell(connectionId, { _tag: "Charge", charge: { attemptId }, state: () => state }, !isOnlyWord)
  }
  const ofOperation = (
    { connectionId }: ChargeRecord,
    { operationId }: OperationRecord,
    state: OperationState,
    mayBeLost: boolean
  ) => tell(connectionId, { _tag: "Operation", operationId, state: () => state }, mayBeLost)
  const ofCapture = (
    { attemptId, connectionId, providerRef }: ChargeRecord,
    capture: StatedCapture,
    mayBeLost: boolean
  ) =>
    tell(
      connectionId,
      { _tag: "Charge", charge: { attemptId }, state: () => ({ _tag: "Captured", providerRef, capture }) },
      mayBeLost
    )
  const nameOf = ({ attemptId, providerRef }: ChargeRecord) => (ways.namesByReference ? { providerRef } : { attemptId })

  return {
    ofCharge,
    ofDone: (charge, operation, isOnlyWord = false) => {
      const { operationId } = operation
      const id = captureIdOf(operationId)
      const isOfCapture = operation.kind === "capture"
      if (!ways.writesOfOperations) {
        return isOfCapture && ways.givesCaptureIds
          ? ofCapture(charge, { id, money: capturedByUs(charge), operationId }, !isOnlyWord)
          : ofCharge(charge, isOnlyWord)
      }
      const stated = isOfCapture ? { stated: capturedByUs(charge) } : {}
      const named = isOfCapture && ways.givesCaptureIds ? { captureId: id } : {}
      return ofOperation(charge, operation, { _tag: "OperationConfirmed", ...stated, ...named }, !isOnlyWord)
    },
    ofCaptureByHand: (charge, { id, minorUnits }) => {
      // An authorization is looked up, unless the rest of it is released.
      const isFirst = charge.capturesByHand.length === 1 && charge.operation === null
      const mayBeLost = isFirst && minorUnits >= charge.money.minorUnits
      if (ways.givesCaptureIds) ofCapture(charge, { id, money: { ...charge.money, minorUnits } }, mayBeLost)
      else ofCharge(charge, !mayBeLost)
    },
    ofRelease: ({ attemptId, connectionId, providerRef }) => {
      const state = { _tag: "Canceled", providerRef } as const
      tell(connectionId, { _tag: "Charge", charge: { attemptId }, state: () => state }, true)
    },
    ofFailure: (charge, operation, isFinal) =>
      ofOperation(charge, operation, { _tag: "OperationFailed", isFinal, reason: "no funds" }, false),
    ofRefund: (refund, isOnlyWord = false) => {
      const state = refundStateOf(refund)
      const { charge, isByHand, refundId } = refund
      const isUnnamed = isByHand || !ways.namesRefunds
      const about: MessageAbout = isUnnamed
        ? {
            ...{ _tag: "UnnamedRefund", charge: nameOf(charge) },
            ...{ providerRefundId: providerRefundIdOf(refundId), state: () => state }
          }
        : { _tag: "Refund", refundId, state: () => state }
      refund.letters.push(tell(charge.connectionId, about, !isOnlyWord, { isReported: isByHand }))
    },
    ...besides(tell, send, nameOf)
  }
}

type Tell = (
  connectionId: string,
  about: MessageAbout,
  mayBeLost: boolean,
  how?: Partial<Pick<Letter, "isReported" | "storedAs">>
) => Letter

type Send = (about: Omit<Letter, "id" | "at" | "body">, bodyOf: (id: string, at: number) => Uint8Array) => Letter

/** Of payouts and disputes, and of nothing of ours. */
const besides = (
  tell: Tell,
  send: Send,
  nameOf: (charge: ChargeRecord) => ChargeName
): Pick<ProviderMessages, "ofPayout" | "ofDispute" | "unreadable" | "ofOthers"> => ({
  ofPayout: (charge) => {
    const state = stateOf(charge)
    const about = { _tag: "Settled", charge: nameOf(charge), state: () => state } as const
    tell(charge.connectionId, about, false, { isReported: true })
  },
  ofDispute: (charge, disputeId, verdict) => {
    // Rows say that money moved: not whose it is without an id, nor that it stays away for good.
    const isReported = disputeId !== null && verdict !== "lost"
    const { dueBy, status } = charge.disputeRecords.get(disputeId ?? "") ?? {}
    const said = { ...(dueBy == null ? {} : { dueBy }), ...(status === undefined ? {} : { status }) }
    const about = { _tag: "Dispute", charge: nameOf(charge), disputeId, verdict, ...said } as const
    // A lookup of the submission tells it too.
    return tell(charge.connectionId, about, status === "under_review", { isReported })
  },
  unreadable: (connectionId) => {
    const about = { connectionId, about: "nothing", mayBeLost: false, isReported: false } as const
    send({ ...about, storedAs: "unreadable" }, unreadableBody)
  },
  ofOthers: (connectionId) => {
    const about = {
      _tag: "Dispute",
      charge: { providerRef: "ch_elsewhere" },
      disputeId: null,
      verdict: "opened"
    } as const
    tell(connectionId, about, false, { storedAs: "unmatched" })
  }
})
