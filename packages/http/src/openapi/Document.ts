/**
 * The contract as an OpenAPI 3.1 document: exactly the endpoints that are served, from the same schemas that decode
 * their requests and encode their answers, and the webhooks that the service sends.
 */
import { type HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { ApiV1 } from "../api/ApiV1.ts"
import { keywordsKey } from "../api/Documented.ts"
import { purchaseLimits } from "../api/Purchase.ts"
import { type Endpoint, endpointsOf, parameterKey } from "./Endpoints.ts"
import { codesIn, errorFields, errorResponse } from "./Errors.ts"
import { answerExamples, requestExamples } from "./Examples.ts"
import { headerName, headers, headersOf } from "./Headers.ts"
import type { Content, Document, Header, Operation, Parameter, PathItem, Response } from "./Model.ts"
import { schemaOf } from "./Schemas.ts"
import { dataSchemas, webhooks, webhooksTag } from "./Webhooks.ts"

/** One object, since the generator remembers its work by it. */
const options: OpenApi.FromApiOptions = { includeAnnotationKey: (key) => key === keywordsKey }

/** `baseUrl`: where the API is reached from outside; without it, wherever the document came from. */
export const openApiDocument = (baseUrl?: string): Document => documentOf(ApiV1, baseUrl)

const documentOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  baseUrl = "/"
): Document => {
  const generated = OpenApi.fromApi(api, options)
  const endpoints = endpointsOf(api)
  return {
    openapi: generated.openapi,
    info: { ...generated.info },
    servers: [{ url: baseUrl, description: "Sandbox and production; the API key determines which." }],
    tags: [...generated.tags.map(({ name, description = "" }) => ({ name, description })), webhooksTag],
    paths: mapValues(generated.paths, (item) => pathItemOf(item, endpoints)),
    webhooks,
    components: {
      schemas: { ...mapValues(generated.components.schemas, schemaOf), ...errorFields, ...dataSchemas },
      headers,
      securitySchemes: mapValues(generated.components.securitySchemes, (scheme) =>
        scheme.type === "http" ? { ...scheme, scheme: scheme.scheme.toLowerCase() } : scheme
      )
    }
  }
}

const mapValues = <A, B>(values: Readonly<Record<string, A>>, map: (value: A) => B): Readonly<Record<string, B>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))

const pathItemOf = (item: OpenApi.OpenAPISpecPathItem, endpoints: ReadonlyMap<string, Endpoint>): PathItem => {
  const of = (generated: OpenApi.OpenAPISpecOperation): Operation => {
    const endpoint = endpoints.get(generated.operationId)
    if (endpoint === undefined) throw new Error(`${generated.operationId} is in the document and not in the API`)
    return operationOf(generated, endpoint)
  }
  return {
    // In the order in which they are read: a thing is made before it is listed.
    ...(item.post === undefined ? {} : { post: of(item.post) }),
    ...(item.get === undefined ? {} : { get: of(item.get) })
  }
}

const operationOf = (generated: OpenApi.OpenAPISpecOperation, endpoint: Endpoint): Operation => {
  const { operationId, summary = "", description = "" } = generated
  const { scope } = endpoint
  const parameters = [
    ...generated.parameters.map((parameter) => parameterOf(parameter, endpoint)),
    ...(operationId === "listPayments" ? [metadataParameter] : [])
  ]
  return {
    operationId,
    tags: generated.tags,
    summary,
    description: scope === undefined ? description : `${description}\n\nRequires the scope \`${scope}\`.`,
    // A scheme that is not OAuth lists what the caller must be allowed (OpenAPI 3.1, Security Requirement Object).
    security: scope === undefined ? [] : [{ bearer: [scope] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(generated.requestBody === undefined
      ? {}
      : {
          requestBody: {
            required: !endpoint.hasOptionalBody,
            content: contentOf(generated.requestBody.content, requestExamples[operationId])
          }
        }),
    responses: Object.fromEntries(
      Object.entries(generated.responses).map(([status, response]) => [
        status,
        responseOf(status, response, operationId, endpoint)
      ])
    )
  }
}

/** No schema of a query names it, because the caller makes the names of its parameters. */
const metadataParameter: Parameter = {
  name: "metadata",
  in: "query",
  required: false,
  description: "Only payments with exactly this text under this name of their metadata: `metadata[order]=1001`.",
  style: "deepObject",
  explode: true,
  schema: {
    type: "object",
    additionalProperties: { type: "string", maxLength: purchaseLimits.text },
    maxProperties: purchaseLimits.names
  }
}

const parameterOf = (generated: OpenApi.OpenAPISpecParameter, endpoint: Endpoint): Parameter => {
  const { name, in: place, required } = generated
  const { description, ...schema } = schemaOf({
    ...generated.schema,
    ...endpoint.parameters.get(parameterKey(place, name))
  })
  return {
    name: place === "header" ? headerName(name) : name,
    in: place,
    required,
    ...(typeof description === "string" ? { description } : {}),
    schema
  }
}

const responseOf = (
  status: string,
  generated: OpenApi.OpenApiSpecResponse,
  operationId: string,
  { neverAnswered, scope }: Endpoint
): Response => {
  const ownHeaders = Object.entries(generated.headers ?? {}).map(([name, header]) => [
    headerName(name),
    headerOf(header)
  ])
  const all = { ...Object.fromEntries(ownHeaders), ...headersOf(status) }
  if (Number(status) >= 400) {
    const codes = codesIn(generated.content).filter((code) => !neverAnswered.includes(code))
    return { ...errorResponse(operationId, scope, codes), headers: all }
  }
  return {
    description: generated.description,
    headers: all,
    ...(generated.content === undefined ? {} : { content: contentOf(generated.content, answerExamples[operationId]) })
  }
}

const headerOf = (generated: OpenApi.OpenAPISpecHeader): Header => {
  const { description, ...schema } = schemaOf(generated.schema)
  return { description: String(description), required: generated.required, schema }
}

const contentOf = (generated: OpenApi.OpenApiSpecContent, examples: Content[string]["examples"]): Content =>
  mapValues(generated, ({ schema }) => ({
    schema: schemaOf(schema),
    ...(examples === undefined ? {} : { examples })
  }))
