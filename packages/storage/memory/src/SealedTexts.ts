/** Everything sealed that records have. */
import type { Attempt, Tenant } from "@pointsman/core"
import { bookAfter } from "@pointsman/core/internal"
import { derivationKey, type PaymentBook, type SealedKind, type SealedTexts } from "@pointsman/core/ports"
import { Option } from "effect"
import { all, by, find, type Methods, page, put, update } from "./Records.ts"
import { keyOf, of, type State, tenantsOf } from "./State.ts"

export const sealedTexts: Methods<SealedTexts["Service"]> = {
  list: (state, { after, kind, limit }) => {
    const last = after === null ? undefined : { name: keyOf(...after) }
    const found = page(textsOf[kind](state), by("name"), { after: last, limit })
    return found.map(({ key, sealed }) => ({ kind, key, sealed }))
  },
  replace: (state, kind, replacements) => {
    state.directoryVersion++
    const stored = new Map(textsOf[kind](state).map((text) => [text.name, text]))
    return replacements.filter(({ expected, key, sealed }) => {
      const text = stored.get(keyOf(...key))
      return text?.sealed === expected && text.write(sealed)
    }).length
  },
  derivation: { get: ({ keptSecrets }) => Option.map(find(keptSecrets, derivation), ({ sealed }) => sealed) },
  keepDerivation: ({ keptSecrets }, sealed) =>
    (keptSecrets.get(derivation) ?? put(keptSecrets, derivation, { sealed })).sealed
}

const [derivation = ""] = derivationKey

type Key = ReadonlyArray<string>

/** One text, or none. */
const text = (key: Key, sealed: string | null | undefined, write: (sealed: string) => boolean) =>
  sealed ? [{ name: keyOf(...key), key, sealed, write }] : []

const ofField = <A>(records: Map<string, A>, field: keyof A, keyOfRecord = (_: A, id: string): Key => [id]) =>
  [...records].flatMap(([id, record]) =>
    text(keyOfRecord(record, id), record[field] as string | undefined, (sealed) =>
      update(records, id, { [field]: sealed } as Partial<A>)
    )
  )

const ownKey = ({ environment, workspaceId }: Tenant, ...ids: Key): Key => [workspaceId, environment, ...ids]

const textsOf: Readonly<Record<SealedKind, (state: State) => ReturnType<typeof text>>> = {
  derivation: ({ keptSecrets }) => ofField(keptSecrets, "sealed"),
  credentials: ({ connections }) => ofField(connections, "sealedCredentials"),
  webhookSecret: ({ connections }) => ofField(connections, "sealedWebhookSecret"),
  previousWebhookSecret: ({ connections }) => ofField(connections, "sealedPreviousWebhookSecret"),
  endpointSecret: ({ webhookEndpoints }) => ofField(webhookEndpoints, "sealedSecret"),
  previousEndpointSecret: ({ webhookEndpoints }) => ofField(webhookEndpoints, "sealedPreviousSecret"),
  checkout: (state) =>
    all(state, "books").flatMap(({ attempts, payment: { id, tenant } }) =>
      attempts.flatMap((attempt) =>
        text(ownKey(tenant, id, attempt.id), attempt.checkout?.sealedUrl, (sealedUrl) =>
          update(of(state, tenant).books, id, (book) => withCheckout(book, attempt, sealedUrl))
        )
      )
    ),
  evidence: (state) =>
    tenantsOf(state).flatMap(({ evidence, tenant }) =>
      ofField(evidence, "sealed", ({ id, paymentId }) => ownKey(tenant, paymentId, id))
    ),
  message: (state) =>
    tenantsOf(state).flatMap(({ messages, tenant }) =>
      [...messages].flatMap(([name, { body, connectionId, eventId, isSealed }]) =>
        text(ownKey(tenant, connectionId, eventId), isSealed ? body : null, (sealed) =>
          update(messages, name, { body: sealed })
        )
      )
    )
}

/** With a version of its own: who decided on the book as it was must not write the former text back. */
const withCheckout = (book: PaymentBook, attempt: Attempt, sealedUrl: string): PaymentBook =>
  bookAfter(book, {
    payment: { ...book.payment, version: book.payment.version + 1 },
    attempts: attempt.checkout === null ? [] : [{ ...attempt, checkout: { ...attempt.checkout, sealedUrl } }]
  })
