/** What the simulated provider writes of its own accord, and how it writes it. */
import type { ChargeState, MessageAbout, OperationState, StatedCapture } from "@pointsman/core/ports"
import type { ProviderOptions, ProviderWays } from "./CallHandling.ts"
import type { ProviderBalance } from "./ProviderBalance.ts"
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

/** The provider's id of a capture of ours. */
export const captureIdOf = (operationId: string): string => `cp_${operationId}`

const postOffice = ({ onLetter, time }: Pick<ProviderOptions, "onLetter" | "time">) => {
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
  ): Letter =>
    send({ connectionId, about: about._tag, mayBeLost, isReported, storedAs }, (id, at) =>
      writeProviderMessage({ id, at, about })
    )
  return { send, tell }
}

export type ProviderMessages = ReturnType<typeof providerMessages>

/** Whatever the provider writes of its books, it also notes in the balance. */
export const providerMessages = (
  options: Pick<ProviderOptions, "onLetter" | "time"> & { readonly ways: ProviderWays },
  { noteCharge, notePayout, noteRefund }: ProviderBalance
) => {
  const { ways } = options
  const { send, tell } = postOffice(options)
  const ofState = ({ attemptId, connectionId }: ChargeRecord, state: ChargeState, mayBeLost: boolean) =>
    tell(connectionId, { _tag: "Charge", charge: { attemptId }, state: () => state }, mayBeLost)
  const ofCapture = (charge: ChargeRecord, capture: StatedCapture, mayBeLost: boolean) =>
    ofState(charge, { _tag: "Captured", providerRef: charge.providerRef, capture }, mayBeLost)
  const ofOperation = (
    { connectionId }: ChargeRecord,
    { operationId }: OperationRecord,
    state: OperationState,
    mayBeLost: boolean
  ) => tell(connectionId, { _tag: "Operation", operationId, state: () => state }, mayBeLost)
  const nameOf = ({ attemptId, providerRef }: ChargeRecord) => (ways.namesByReference ? { providerRef } : { attemptId })

  /** The state of a charge; a lookup tells it too, unless `isOnlyWord`. */
  const ofCharge = (charge: ChargeRecord, isOnlyWord = false): Letter => {
    noteCharge(charge)
    return ofState(charge, stateOf(charge), !isOnlyWord)
  }
  return {
    ofCharge,
    /** A capture or a void that is done. */
    ofDone: (charge: ChargeRecord, operation: OperationRecord, isOnlyWord = false): Letter => {
      noteCharge(charge)
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
    /** A capture that a person made. */
    ofCaptureByHand: (charge: ChargeRecord, { id, minorUnits }: ChargeRecord["capturesByHand"][number]): void => {
      noteCharge(charge)
      // An authorization is looked up, unless the rest of it is released.
      const isFirst = charge.capturesByHand.length === 1 && charge.operation === null
      const mayBeLost = isFirst && minorUnits >= charge.money.minorUnits
      if (ways.givesCaptureIds) ofCapture(charge, { id, money: { ...charge.money, minorUnits } }, mayBeLost)
      else ofCharge(charge, !mayBeLost)
    },
    /** What is not captured of a charge is released. */
    ofRelease: (charge: ChargeRecord): Letter =>
      ofState(charge, { _tag: "Canceled", providerRef: charge.providerRef }, true),
    /** A capture or a void failed; `isFinal: false` where the provider tries again by itself. */
    ofFailure: (charge: ChargeRecord, operation: OperationRecord, isFinal: boolean): Letter => {
      noteCharge(charge)
      return ofOperation(charge, operation, { _tag: "OperationFailed", isFinal, reason: "no funds" }, false)
    },
    ofRefund: (refund: RefundRecord, isOnlyWord = false): void => {
      noteRefund(refund)
      const state = refundStateOf(refund)
      const { charge, isByHand, refundId } = refund
      const providerRefundId = providerRefundIdOf(refundId)
      const about: MessageAbout =
        isByHand || !ways.namesRefunds
          ? { _tag: "UnnamedRefund", charge: nameOf(charge), providerRefundId, state: () => state }
          : { _tag: "Refund", refundId, state: () => state }
      refund.letters.push(tell(charge.connectionId, about, !isOnlyWord, { isReported: isByHand }))
    },
    ofPayout: (charge: ChargeRecord): void => {
      notePayout(charge)
      const state = stateOf(charge)
      const about = { _tag: "Settled", charge: nameOf(charge), state: () => state } as const
      tell(charge.connectionId, about, false, { isReported: true })
    },
    ofDispute: (charge: ChargeRecord, disputeId: string | null, verdict: DisputeVerdict): Letter => {
      noteCharge(charge)
      // Rows say that money moved: not whose it is without an id, nor that it stays away for good.
      const isReported = disputeId !== null && verdict !== "lost"
      const { dueBy, status } = charge.disputeRecords.get(disputeId ?? "") ?? {}
      const said = { ...(dueBy == null ? {} : { dueBy }), ...(status === undefined ? {} : { status }) }
      const about = { _tag: "Dispute", charge: nameOf(charge), disputeId, verdict, ...said } as const
      // A lookup of the submission tells it too.
      return tell(charge.connectionId, about, status === "under_review", { isReported })
    },
    ...ofNothing(send, tell)
  }
}

const ofNothing = (send: ReturnType<typeof postOffice>["send"], tell: ReturnType<typeof postOffice>["tell"]) => ({
  /** Something that its own connector cannot read. */
  unreadable: (connectionId: string): void => {
    const about = { connectionId, about: "nothing", mayBeLost: false, isReported: false } as const
    send({ ...about, storedAs: "unreadable" }, unreadableBody)
  },
  /** Something about a charge that was made elsewhere, with the same account. */
  ofOthers: (connectionId: string): void => {
    const about = { charge: { providerRef: "ch_elsewhere" }, disputeId: null, verdict: "opened" } as const
    tell(connectionId, { _tag: "Dispute", ...about }, false, { storedAs: "unmatched" })
  }
})
