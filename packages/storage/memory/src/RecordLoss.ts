/** Losses of records in memory: there are none but those that a test declares. */
import {
  type Change,
  declaredLoss,
  KeyRecovered,
  type RecordLoss,
  type RecordLosses,
  RecordsMissing
} from "@pointsman/core/ports"
import { Effect } from "effect"
import { forTenant, ofTenant, type State, tenantKey } from "./State.ts"

export const make = (state: State): RecordLosses => {
  const isOpen = ({ declaredAt, number }: Pick<RecordLoss, "number" | "declaredAt">) =>
    state.loss !== null &&
    state.loss.ended === null &&
    state.loss.number === number &&
    state.loss.declaredAt === declaredAt
  const newest = Effect.sync(() => state.loss)
  const change = (loss: Pick<RecordLoss, "number" | "declaredAt">, to: (open: RecordLoss) => RecordLoss) =>
    Effect.sync(() => {
      if (state.loss === null || !isOpen(loss)) return false
      state.loss = to(state.loss)
      return true
    })
  return {
    known: newest,
    newest,
    declare: (loss) =>
      Effect.sync(() => {
        state.loss = declaredLoss(state.loss, loss)
        return state.loss
      }),
    markRecovered: (loss, connectionId, refundsWait) =>
      change(loss, (open) => {
        const isFirst = !open.recovered.includes(connectionId)
        const others = open.refundsWait.filter((id) => id !== connectionId)
        const waits = refundsWait && (isFirst || others.length < open.refundsWait.length)
        return {
          ...open,
          recovered: isFirst ? [...open.recovered, connectionId].toSorted() : open.recovered,
          refundsWait: waits ? [...others, connectionId].toSorted() : others
        }
      }),
    releaseRefunds: (number, connectionId) =>
      Effect.sync(() => {
        if (state.loss?.number !== number) return false
        const left = connectionId === null ? [] : state.loss.refundsWait.filter((id) => id !== connectionId)
        const isAny = left.length < state.loss.refundsWait.length
        state.loss = { ...state.loss, refundsWait: left }
        return isAny
      }),
    end: (loss, ended) => change(loss, (open) => ({ ...open, ended })),
    fileKey: (tenant, { kind, paymentId, tag }) =>
      Effect.sync(() => {
        const { recoveredKeys } = forTenant(state, tenant)
        const isFiled = recoveredKeys.some((one) => one.tag === tag && one.kind === kind && one.paymentId === paymentId)
        if (!isFiled) recoveredKeys.push({ tag, kind, paymentId })
      })
  }
}

/** What the guard of a change refuses it for. */
export const guarded = (
  state: State,
  { guard, payment, tenant }: Change
): RecordsMissing | KeyRecovered | undefined => {
  const { loss } = state
  if (guard?.refusesMissing === true && loss !== null && loss.ended === null) {
    const own = [...state.connections.values()].filter((connection) => tenantKey(connection) === tenantKey(tenant))
    if (own.some(({ id }) => !loss.recovered.includes(id))) return new RecordsMissing()
  }
  const key = guard?.key ?? null
  if (key === null) return undefined
  const paymentIds = ofTenant(state, tenant)
    .recoveredKeys.filter(({ kind, tag }) => tag === key.tag && kind === key.kind)
    .map(({ paymentId }) => paymentId)
    .filter((id) => key.kind === "charge" || id === payment.after.id)
  return paymentIds.length === 0 ? undefined : new KeyRecovered({ paymentIds })
}
