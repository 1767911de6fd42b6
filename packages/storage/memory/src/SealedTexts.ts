/** Everything sealed that records have. */
import type { Tenant } from "@pointsman/core"
import { derivationKey, type SealedKind, type SealedTexts } from "@pointsman/core/ports"
import { Option } from "effect"
import { by, type Methods, page, replaced, update } from "./Records.ts"
import { keyOf, of, type PaymentRecord, recordsOf, type State, tenantsOf } from "./State.ts"

export const sealedTexts: Methods<SealedTexts["Service"]> = {
  list: (state, { after, kind, limit }) =>
    page(textsOf(state, kind), by("name"), { after: after ? { name: keyOf(...after) } : undefined, limit }).map(
      ({ key, sealed }) => ({ kind, key, sealed })
    ),
  replace: (state, kind, replacements) => {
    const stored = new Map(textsOf(state, kind).map((text) => [text.name, text]))
    return replacements.filter(({ expected, key, sealed }) => {
      const text = stored.get(keyOf(...key))
      return text?.sealed === expected && text.write(sealed)
    }).length
  },
  derivation: { get: ({ derivation }) => Option.fromNullOr(derivation) },
  keepDerivation: (state, sealed) => {
    state.derivation ??= sealed
    return state.derivation
  }
}

const textsOf = (state: State, kind: SealedKind): ReadonlyArray<ReturnType<typeof text>[number]> => {
  switch (kind) {
    case "derivation":
      return text([...derivationKey], state.derivation, (derivation) => Object.assign(state, { derivation }))
    case "credentials":
      return ofField(state.connections, "sealedCredentials")
    case "webhookSecret":
      return ofField(state.connections, "sealedWebhookSecret")
    case "previousWebhookSecret":
      return ofField(state.connections, "sealedPreviousWebhookSecret")
    case "endpointSecret":
      return ofField(state.webhookEndpoints, "sealedSecret")
    case "previousEndpointSecret":
      return ofField(state.webhookEndpoints, "sealedPreviousSecret")
    case "checkout":
      return recordsOf(state).flatMap(({ book: { attempts, payment } }) =>
        attempts.flatMap(({ checkout, id }) =>
          text(idOf(payment.tenant, payment.id, id), checkout?.sealedUrl, (sealedUrl) =>
            update(of(state, payment.tenant).payments, payment.id, (record) => withCheckout(record, id, sealedUrl))
          )
        )
      )
    case "evidence":
      return recordsOf(state).flatMap(({ book: { payment }, evidence }) =>
        evidence.flatMap((one) =>
          text(idOf(payment.tenant, payment.id, one.id), one.sealed, (sealed) =>
            update(of(state, payment.tenant).payments, payment.id, (record) => ({
              ...record,
              evidence: replaced(record.evidence, [{ ...one, sealed }])
            }))
          )
        )
      )
    case "message":
      return tenantsOf(state).flatMap(({ messages, tenant }) =>
        [...messages].flatMap(([name, { body, connectionId, eventId, isSealed }]) =>
          text(idOf(tenant, connectionId, eventId), isSealed ? body : null, (sealed) =>
            update(messages, name, (message) => ({ ...message, body: sealed }))
          )
        )
      )
  }
}

/** One text, or none. */
const text = (key: ReadonlyArray<string>, sealed: string | null | undefined, write: (sealed: string) => unknown) =>
  sealed ? [{ name: keyOf(...key), key, sealed, write: (after: string) => Boolean(write(after)) }] : []

const idOf = ({ environment, workspaceId }: Tenant, ...ids: ReadonlyArray<string>) => [workspaceId, environment, ...ids]

const ofField = <Name extends string, A extends { readonly [_ in Name]?: string | null | undefined }>(
  records: Map<string, A>,
  field: Name
) =>
  [...records].flatMap(([id, record]) =>
    text([id], record[field], (sealed) => update(records, id, (before) => ({ ...before, [field]: sealed })))
  )

const withCheckout = (record: PaymentRecord, id: string, sealedUrl: string): PaymentRecord => {
  const attempts = record.book.attempts.map((one) =>
    one.id === id && one.checkout !== null ? { ...one, checkout: { ...one.checkout, sealedUrl } } : one
  )
  return { ...record, book: { ...record.book, attempts } }
}
