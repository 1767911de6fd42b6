/** A merchant's receiver of webhooks that answers with what it was sent, and never with success. */
import { serveHttp } from "./HttpHere.ts"

export interface EchoingReceiver {
  /** For a webhook endpoint. */
  readonly url: string
  /** Headers and body of each delivery. */
  readonly heard: ReadonlyArray<string>
}

/** `own`: what it adds to its answers of its own accord. */
export const startEchoingReceiver = async (own = ""): Promise<EchoingReceiver> => {
  const heard: Array<string> = []
  const { url } = await serveHttp((request, response, body) => {
    const delivery = `${JSON.stringify(request.headers)} ${body}`
    heard.push(delivery)
    const signature = String(request.headers["x-service-signature"])
    response.writeHead(500, { "x-echo": signature, "x-own": own }).end(`${own} ${delivery}`)
  })
  return { url: `${url}/hook`, heard }
}
