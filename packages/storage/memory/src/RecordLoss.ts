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
  markRecovered: (state, loss, id, mustWait) =>
    update(state.losses, loss.number, (stored) => {
      const { recovered, refundsWait } = stored
      const isWaiting = mustWait && (!recovered.includes(id) || refundsWait.includes(id))
      const marked = {
        recovered: [...new Set([...recovered, id])].toSorted(),
        refundsWait: [...without(refundsWait, id), ...(isWaiting ? [id] : [])].toSorted()
      }
      return isOpen(stored, loss) ? { ...stored, ...marked } : undefined
    }),
  releaseRefunds: (state, number, id) =>
    update(state.losses, number, (stored) => {
      const refundsWait = id === null ? [] : without(stored.refundsWait, id)
      return refundsWait.length < stored.refundsWait.length ? { ...stored, refundsWait } : undefined
    }),
  end: (state, loss, ended) =>
    update(state.losses, loss.number, (stored) => (isOpen(stored, loss) ? { ...stored, ended } : undefined)),
  fileKey: (state, tenant, key) =>
    void put(of(state, tenant).recoveredKeys, keyOf(key.tag, key.kind, key.paymentId), key)
}

const newestLoss = ({ losses }: State): Ports.RecordLoss | null => losses.get(losses.size) ?? null

/** Whether it has not ended, and was not extended since. */
const isOpen = (stored: Ports.RecordLoss, { declaredAt }: Pick<Ports.RecordLoss, "declaredAt">): boolean =>
  stored.ended === null && stored.declaredAt === declaredAt

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
