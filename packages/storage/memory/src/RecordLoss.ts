/** Losses of records: there are none but those that a test declares. */
import {
  type Change,
  declaredLoss,
  KeyRecovered,
  type RecordLoss,
  type RecordLosses,
  RecordsMissing
} from "@pointsman/core/ports"
import { has, type Methods, put } from "./Records.ts"
import { keyOf, of, type State } from "./State.ts"

export const recordLosses: Methods<RecordLosses> = {
  known: { get: ({ loss }) => loss },
  newest: { get: ({ loss }) => loss },
  declare: (state, loss) => {
    state.loss = declaredLoss(state.loss, loss)
    return state.loss
  },
  markRecovered: (state, loss, id, mustWait) =>
    change(state, loss, ({ recovered, refundsWait }) => {
      const isWaiting = mustWait && (!recovered.includes(id) || refundsWait.includes(id))
      return {
        recovered: [...new Set([...recovered, id])].toSorted(),
        refundsWait: [...without(refundsWait, id), ...(isWaiting ? [id] : [])].toSorted()
      }
    }),
  releaseRefunds: (state, number, id) => {
    if (state.loss?.number !== number) return false
    const { refundsWait } = state.loss
    state.loss = { ...state.loss, refundsWait: id === null ? [] : without(refundsWait, id) }
    return state.loss.refundsWait.length < refundsWait.length
  },
  end: (state, loss, ended) => change(state, loss, () => ({ ended })),
  fileKey: (state, tenant, key) =>
    void put(of(state, tenant).recoveredKeys, keyOf(key.tag, key.kind, key.paymentId), key)
}

const without = (ids: ReadonlyArray<string>, id: string) => ids.filter((one) => one !== id)

type Named = Pick<RecordLoss, "number" | "declaredAt">

/** Changes the loss, if it has not ended; whether it did. */
const change = (
  state: State,
  { declaredAt, number }: Named,
  to: (loss: RecordLoss) => Partial<RecordLoss>
): boolean => {
  const { loss } = state
  if (loss === null || !has({ declaredAt, ended: null, number })(loss)) return false
  state.loss = { ...loss, ...to(loss) }
  return true
}

/** What the guard of a change refuses it for. */
export const guarded = (
  state: State,
  { guard, payment, tenant }: Change
): RecordsMissing | KeyRecovered | undefined => {
  const { loss } = state
  const { environment, workspaceId } = tenant
  if (guard?.refusesMissing === true && loss?.ended === null) {
    const own = [...state.connections.values()].filter(has({ environment, workspaceId }))
    if (own.some(({ id }) => !loss.recovered.includes(id))) return new RecordsMissing()
  }
  if (guard?.key == null) return undefined
  const { kind, tag } = guard.key
  const paymentId = kind === "charge" ? undefined : payment.after.id
  const filed = [...of(state, tenant).recoveredKeys.values()].filter(has({ kind, paymentId, tag }))
  return filed.length === 0 ? undefined : new KeyRecovered({ paymentIds: filed.map((one) => one.paymentId) })
}
