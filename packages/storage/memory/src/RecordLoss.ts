/** Losses of records: there are none but those that a test declares. */
import * as Ports from "@pointsman/core/ports"
import { connectionsOf } from "./Directory.ts"
import { all, has, type Methods, put, update } from "./Records.ts"
import { keyOf, of, type State } from "./State.ts"

export const recordLosses: Methods<Ports.RecordLosses> = {
  known: { get: (state) => newestLoss(state) },
  newest: { get: (state) => newestLoss(state) },
  declare: (state, loss) => {
    const declared = Ports.declaredLoss(newestLoss(state), loss)
    return put(state.losses, declared.number, declared)
  },
  markRecovered: (state, { declaredAt, number }, id, mustWait) => {
    const marked = ({ recovered, refundsWait }: Ports.RecordLoss) => {
      const isWaiting = mustWait && (!recovered.includes(id) || refundsWait.includes(id))
      return {
        recovered: [...new Set([...recovered, id])].toSorted(),
        refundsWait: [...without(refundsWait, id), ...(isWaiting ? [id] : [])].toSorted()
      }
    }
    return update(state.losses, number, marked, has({ declaredAt, ended: null }))
  },
  releaseRefunds: (state, number, id) =>
    update(
      state.losses,
      number,
      ({ refundsWait }) => ({ refundsWait: id === null ? [] : without(refundsWait, id) }),
      ({ refundsWait }) => (id === null ? refundsWait.length > 0 : refundsWait.includes(id))
    ),
  end: (state, { declaredAt, number }, ended) =>
    update(state.losses, number, { ended }, has({ declaredAt, ended: null })),
  fileKey: (state, tenant, key) =>
    void put(of(state, tenant).recoveredKeys, keyOf(key.tag, key.kind, key.paymentId), key)
}

const newestLoss = ({ losses }: State): Ports.RecordLoss | null => losses.get(losses.size) ?? null

const without = (ids: ReadonlyArray<string>, id: string) => ids.filter((one) => one !== id)

/** What the guard of a change refuses it for. */
export const guarded = (state: State, { guard, payment, tenant }: Ports.Change) => {
  const loss = newestLoss(state)
  if (guard?.refusesMissing === true && loss?.ended === null) {
    if (connectionsOf(state, tenant).some(({ id }) => !loss.recovered.includes(id))) return new Ports.RecordsMissing()
  }
  if (guard?.key == null) return undefined
  const { kind, tag } = guard.key
  const paymentId = kind === "charge" ? undefined : payment.after.id
  const filed = all(state, "recoveredKeys", tenant).filter(has({ kind, paymentId, tag }))
  return filed.length === 0 ? undefined : new Ports.KeyRecovered({ paymentIds: filed.map((one) => one.paymentId) })
}
