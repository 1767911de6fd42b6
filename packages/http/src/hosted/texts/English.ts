import type { Texts } from "./Texts.ts"

const doNotPayAgain =
  "Please do not pay again: you could be charged twice. You can close this page; the shop will be notified."

export const english: Texts = {
  pay: "Pay {merchant}",
  approve: "Approve",
  approveAfterChallenge: "Approve after a 3DS challenge",
  declineWithReason: "Decline with a reason",
  decline: "Decline",
  cancel: "Cancel",
  challenge: "Confirm your identity",
  challengeText:
    "This simulates the step in which a bank asks its customer (3-D Secure): is this payment to {merchant} yours?",
  passChallenge: "Yes, it is mine",
  failChallenge: "No, fail the challenge",
  back: "Back",
  checkoutText: "You pay on the secure page of a payment provider, and come back afterwards.",
  continueToPayment: "Continue to payment",
  notPaidContinue: "I have not paid yet – continue to payment",
  checkAgain: "Check again",
  backToMerchant: "Back to {merchant}",
  backToPage: "Back to the payment page",
  amount: "Amount",
  merchant: "Merchant",
  reference: "Reference",
  status: "Status",
  category: "Category",
  sandboxTitle: "{title} (sandbox)",
  sandboxName: "Sandbox.",
  sandboxText: "No money moves, and no card is needed.",
  forSupport: "For the shop's support: {id}",
  support: "Help",
  terms: "Terms and conditions",
  outcomes: {
    waiting: { heading: "You have not paid yet", text: "Nothing has been charged." },
    unconfirmed: {
      heading: "Your payment is not confirmed yet",
      text:
        "If you have paid, the confirmation will follow soon: please do not pay again. If you have not paid, " +
        "you can continue."
    },
    opening: {
      heading: "Opening the payment page",
      text: "The page may be opening in another tab. Please try again in a moment."
    },
    closed: {
      heading: "The payment page has closed",
      text:
        "If you have paid, the confirmation will follow soon: please do not pay again. If you have not paid, " +
        "nothing was charged."
    },
    processing: { heading: "Your payment is being processed", text: `It is not confirmed yet. ${doNotPayAgain}` },
    checking: {
      heading: "Your payment is being checked",
      text: `We are checking whether your payment went through. ${doNotPayAgain}`
    },
    approved: { heading: "Payment approved", text: "The amount is reserved. You do not need to do anything else." },
    captureUnknown: {
      heading: "Payment approved",
      text: "Whether the amount was collected is still being checked. Please do not pay again."
    },
    releasing: { heading: "Your payment is being cancelled", text: "The reserved amount is being released." },
    releaseUnknown: {
      heading: "Your payment is being cancelled",
      text: "Whether the reserved amount was released is still being checked."
    },
    complete: {
      heading: "Payment complete",
      text: "Your payment went through. You do not need to do anything else."
    },
    partlyRefunded: { heading: "Payment partly refunded", text: "Part of the amount was refunded." },
    refunded: { heading: "Payment refunded", text: "The amount was refunded." },
    disputed: { heading: "Payment disputed", text: "The payment went through and was disputed." },
    declined: { heading: "Payment declined", text: "Nothing was charged." },
    failed: { heading: "Payment not possible", text: "The payment could not be made. Nothing was charged." },
    cancelled: { heading: "Payment cancelled", text: "Nothing was charged." },
    released: { heading: "Payment cancelled", text: "The reserved amount was released." },
    expired: {
      heading: "This payment page has expired",
      text: "Nothing was charged. To pay, please start again at the shop."
    },
    notFound: {
      heading: "Payment page not found",
      text: "The link may be incomplete. To pay, please start again at the shop."
    },
    tooMany: { heading: "Too many requests", text: "Please try again in a moment." },
    wrongMethod: { heading: "Method not allowed", text: "Nothing was changed." },
    unknownAction: { heading: "Invalid choice", text: "Nothing was changed." },
    tooLarge: { heading: "Request too large", text: "Nothing was changed." },
    unavailable: {
      heading: "Temporarily unavailable",
      text: "Please try again in a moment. The payment page then shows the status of your payment."
    },
    suspended: { heading: "This shop is not accepting payments at the moment", text: "Nothing was charged." },
    broken: {
      heading: "Something went wrong",
      text: "Before you pay again, please check with the shop whether your payment went through."
    }
  },
  declineReasons: {
    noApproval: "Your bank declined the payment.",
    insufficientFunds: "The account has insufficient funds.",
    expiredCard: "The card has expired.",
    invalidCard: "The card is not valid.",
    limitExceeded: "A limit on the account or card was exceeded.",
    authenticationFailed: "Authentication failed.",
    notPermitted: "This type of payment is not allowed for this card or account.",
    issuerUnavailable: "Your bank could not be reached.",
    cancelledByCustomer: "You cancelled the payment."
  },
  declineCategories: {
    insufficient_funds: "Insufficient funds",
    do_not_honor: "Do not honor",
    expired_card: "Expired card",
    invalid_card: "Invalid card",
    lost_or_stolen: "Lost or stolen",
    suspected_fraud: "Suspected fraud",
    limit_exceeded: "Limit exceeded",
    authentication_failed: "Authentication failed",
    not_permitted: "Not permitted",
    issuer_unavailable: "Issuer unavailable",
    invalid_request: "Invalid request",
    cancelled_by_customer: "Cancelled by customer",
    other: "Other"
  }
}
