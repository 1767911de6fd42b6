/** What the contract says of an endpoint and the generator leaves out of its document. */
import { Context, SchemaAST } from "effect"
import { HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { RequiredScope } from "../api/Authorization.ts"
import { keywordsKey } from "../api/Documented.ts"
import { NeverAnswered } from "../api/ErrorSchemas.ts"
import type { ErrorCode } from "../api/Errors.ts"
import type { JsonSchema, Parameter } from "./Model.ts"

export interface Endpoint {
  /** The scope that the key must have; `undefined` where no key is asked for. */
  readonly scope: string | undefined
  readonly hasOptionalBody: boolean
  readonly neverAnswered: ReadonlyArray<ErrorCode>
  /** The keywords beside each parameter, by its place and name: the generator follows the codec, which loses it. */
  readonly parameters: ReadonlyMap<string, JsonSchema>
}

/** By operation id. */
export const endpointsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyMap<string, Endpoint> => {
  const found = new Map<string, Endpoint>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      found.set(Context.getUnsafe(endpoint.annotations, OpenApi.Identifier), {
        scope: Context.getOrUndefined(mergedAnnotations, RequiredScope),
        hasOptionalBody: [...endpoint.payload.values()].some(({ schemas }) =>
          schemas.some(({ ast }) => SchemaAST.isVoid(ast))
        ),
        neverAnswered: Context.get(mergedAnnotations, NeverAnswered),
        parameters: new Map([
          ...annotationsOf("path", endpoint.params?.ast),
          ...annotationsOf("header", endpoint.headers?.ast),
          ...annotationsOf("query", endpoint.query?.ast)
        ])
      })
    }
  })
  return found
}

export const parameterKey = (place: Parameter["in"], name: string): string => `${place} ${name}`

const annotationsOf = (
  place: Parameter["in"],
  ast: SchemaAST.AST | undefined
): ReadonlyArray<readonly [string, JsonSchema]> => {
  const decoded = ast === undefined ? undefined : SchemaAST.toType(ast)
  if (decoded === undefined || !SchemaAST.isObjects(decoded)) return []
  return decoded.propertySignatures.map(({ name, type }) => {
    const { description, [keywordsKey]: keywords } = type.context?.annotations ?? {}
    return [parameterKey(place, String(name)), { description, [keywordsKey]: keywords }]
  })
}
