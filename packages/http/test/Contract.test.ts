import { documentedCodes, errorTable, type TotalErrorTable } from "@pointsman/http"
import { ApiV1, Authorization, errorCodes, PartnerAuthorization, RequiredScope, ServedApi } from "@pointsman/http/api"
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { describe, expect, test } from "vitest"

interface Endpoint {
  readonly route: string
  readonly scope: string | undefined
  readonly hasKey: boolean
}

const endpointsOf = (api: typeof ApiV1 | typeof ServedApi): ReadonlyArray<Endpoint> => {
  const found: Array<Endpoint> = []
  HttpApi.reflect(api as typeof ApiV1, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, mergedAnnotations, middleware }) => {
      const keys = [...middleware].map((service) => service.key)
      found.push({
        route: `${endpoint.method} ${endpoint.path}`,
        scope: Context.getOrUndefined(mergedAnnotations, RequiredScope),
        hasKey: keys.includes(Authorization.key) || keys.includes(PartnerAuthorization.key)
      })
    }
  })
  return found
}

describe("the contract", () => {
  test("every endpoint with a scope asks for a key, and every one with a key has a scope", () => {
    for (const endpoint of endpointsOf(ApiV1)) expect(endpoint.hasKey).toBe(endpoint.scope !== undefined)
  })

  test("the served part is a part of the whole", () => {
    const whole = endpointsOf(ApiV1)
    for (const endpoint of endpointsOf(ServedApi)) expect(whole).toContainEqual(endpoint)
  })
})

describe("the error codes", () => {
  test("each of version 1's codes has its status", () => {
    const specified = `400 idempotency_key_required invalid_idempotency_key invalid_json
401 unauthorized
403 not_a_partner live_key_required
404 not_found
409 idempotency_in_progress routing_failed not_capturable not_voidable capture_conflict void_conflict no_provider_ref
409 refund_pending not_refundable refund_conflict already_invited
413 payload_too_large
422 validation_error invalid_amount idempotency_key_reuse
429 rate_limited merchant_limit
500 internal_error payment_result_unknown state_unconfirmed state_conflict
501 unsupported
502 psp_error capture_result_unknown void_result_unknown refund_result_unknown`
    for (const line of specified.split("\n")) {
      const [status, ...codes] = line.split(" ")
      for (const code of codes)
        expect([code, errorCodes[code as keyof typeof errorCodes]?.status]).toEqual([code, Number(status)])
    }
  })

  test("all codes in the table of core's failures are documented", () => {
    const documented = new Set(documentedCodes.map((row) => row.code))
    for (const rows of Object.values(errorTable)) {
      for (const row of Object.values(rows)) expect(documented).toContain(row.code)
    }
  })

  test("a table without one of core's failures does not compile", () => {
    const { "pointsman/KeyReused": missing, ...rest } = errorTable.create
    // @ts-expect-error the row of KeyReused is missing
    const table: TotalErrorTable = { ...errorTable, create: rest }
    expect([missing.code, Object.keys(table.create)]).toEqual(["idempotency_key_reuse", Object.keys(rest)])
  })
})
