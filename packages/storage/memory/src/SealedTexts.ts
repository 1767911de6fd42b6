import { derivationKey, type SealedKind, type SealedText, SealedTexts } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { byText, forTenant, type State, type TenantState } from "./State.ts"

export const make = (state: State): SealedTexts["Service"] =>
  SealedTexts.of({
    list: ({ after, kind, limit }) =>
      Effect.sync(() =>
        textsOf(state, kind)
          .map(({ key, sealed }): SealedText => ({ kind, key, sealed }))
          .sort((a, b) => byKey(a.key, b.key))
          .filter(({ key }) => after === null || byKey(key, after) > 0)
          .slice(0, limit)
      ),
    replace: (kind, replacements) =>
      Effect.sync(() => {
        const stored = new Map(textsOf(state, kind).map((one) => [JSON.stringify(one.key), one]))
        const due = replacements.filter(({ expected, key }) => stored.get(JSON.stringify(key))?.sealed === expected)
        for (const { key, sealed } of due) stored.get(JSON.stringify(key))?.write(sealed)
        return due.length
      }),
    derivation: Effect.sync(() => Option.fromNullOr(state.derivation)),
    keepDerivation: (sealed) =>
      Effect.sync(() => {
        state.derivation ??= sealed
        return state.derivation
      })
  })

interface Stored {
  readonly key: ReadonlyArray<string>
  readonly sealed: string
  readonly write: (sealed: string) => void
}

const textsOf = (state: State, kind: SealedKind): ReadonlyArray<Stored> => {
  switch (kind) {
    case "derivation":
      return stored(state.derivation, derivationKey, (sealed) => {
        state.derivation = sealed
      })
    case "credentials":
      return ofMap(state.connections, "sealedCredentials")
    case "webhookSecret":
      return ofMap(state.connections, "sealedWebhookSecret")
    case "previousWebhookSecret":
      return ofMap(state.connections, "sealedPreviousWebhookSecret")
    case "endpointSecret":
      return ofMap(state.webhookEndpoints, "sealedSecret")
    case "previousEndpointSecret":
      return ofMap(state.webhookEndpoints, "sealedPreviousSecret")
    case "checkout":
      return [...state.tenants.values()].flatMap(checkoutsOf)
    case "evidence":
      return [...state.tenants.values()].flatMap(({ evidence, tenant }) =>
        [...evidence].flatMap(([id, kept]) =>
          stored(
            kept.sealed === "" ? null : kept.sealed,
            [tenant.workspaceId, tenant.environment, kept.paymentId, id],
            (sealed) => forTenant(state, tenant).evidence.set(id, { ...kept, sealed })
          )
        )
      )
    case "message":
      return [...state.tenants.values()].flatMap(({ messages, tenant }) =>
        [...messages].flatMap(([name, message]) =>
          stored(
            message.isSealed ? message.body : null,
            [tenant.workspaceId, tenant.environment, message.connectionId, message.eventId],
            (body) => forTenant(state, tenant).messages.set(name, { ...message, body })
          )
        )
      )
  }
}

const stored = (sealed: string | null | undefined, key: Stored["key"], write: (sealed: string) => void) =>
  sealed == null ? [] : [{ key, sealed, write }]

const ofMap = <Name extends string, A extends { readonly [N in Name]?: string | null | undefined }>(
  records: Map<string, A>,
  field: Name
): ReadonlyArray<Stored> =>
  [...records].flatMap(([id, record]) =>
    stored(record[field], [id], (sealed) => records.set(id, { ...record, [field]: sealed }))
  )

const checkoutsOf = ({ attempts, tenant }: TenantState): ReadonlyArray<Stored> =>
  [...attempts].flatMap(([paymentId, ofPayment]) =>
    ofPayment.flatMap((attempt, at) =>
      stored(
        attempt.checkout?.sealedUrl,
        [tenant.workspaceId, tenant.environment, paymentId, attempt.id],
        (sealedUrl) => {
          if (attempt.checkout !== null) ofPayment[at] = { ...attempt, checkout: { ...attempt.checkout, sealedUrl } }
        }
      )
    )
  )

const byKey = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number =>
  a.reduce((order, part, at) => order || byText(part, b[at] ?? ""), 0)
