/** IP addresses and CIDR ranges as text, checked without the help of a runtime. */

/** `10.0.0.0/8`, `2001:db8::/32`, or one address. */
export const isNetwork = (text: string): boolean => {
  const [address = "", prefix, ...rest] = text.split("/")
  const bits = bitsOf(address)
  if (bits === undefined || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/u.test(prefix) && Number(prefix) <= bits)
}

const bitsOf = (address: string): 32 | 128 | undefined => {
  if (isIpv4(address)) return 32
  // The URL parser checks an IPv6 address (https://url.spec.whatwg.org/#concept-ipv6-parser).
  return /^[0-9a-f:.]+$/iu.test(address) && URL.canParse(`http://[${address}]/`) ? 128 : undefined
}

/** A leading zero is octal to some programs. */
const isIpv4 = (address: string): boolean =>
  /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/u.test(address) &&
  address.split(".").every((octet) => Number(octet) <= 255)
