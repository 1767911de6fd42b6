/** What errors that are answered over HTTP carry besides their code: the request's id, and the page about the code. */
import { HttpBody, HttpServerResponse } from "effect/http"
import { type ErrorBody, type ErrorCode, errorCodes, replayedCodes } from "./api/Errors.ts"

export interface About {
  readonly requestId: string
  /** The address of the page of codes; `undefined` where the server has none. */
  readonly page: string | undefined
}

export const errorAnswer = (code: ErrorCode, message: string, about: About): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(completed({ error: { code, message } }, about), { status: errorCodes[code].status })

/** Of an answer of the API: an endpoint encodes its error before the request's id is at hand. */
export const withReferences = (
  response: HttpServerResponse.HttpServerResponse,
  about: About
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag !== "Uint8Array" || body.text === undefined || body.contentType !== "application/json") return response
  const answer: ErrorBody = JSON.parse(body.text)
  return HttpServerResponse.setBody(response, HttpBody.jsonUnsafe(completed(answer, about)))
}

const completed = (answer: ErrorBody, { page, requestId }: About): ErrorBody => {
  const { error } = answer
  if (replayedCodes.has(error.code)) return answer
  return {
    error: { ...error, request_id: requestId, ...(page === undefined ? {} : { doc_url: `${page}#${error.code}` }) }
  }
}
