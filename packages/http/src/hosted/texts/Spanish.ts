import type { Texts } from "./Texts.ts"

const doNotPayAgain =
  "No vuelva a pagar: podría cobrársele dos veces. Puede cerrar esta página; la tienda recibirá un aviso."

export const spanish: Texts = {
  pay: "Pagar a {merchant}",
  approve: "Aprobar",
  approveAfterChallenge: "Aprobar tras una verificación 3DS",
  declineWithReason: "Rechazar con un motivo",
  decline: "Rechazar",
  cancel: "Cancelar",
  challenge: "Confirme su identidad",
  challengeText:
    "Esta página simula el paso en el que un banco pregunta a su cliente (3-D Secure): ¿es suyo este pago a {merchant}?",
  passChallenge: "Sí, es mío",
  failChallenge: "No, no superar la verificación",
  back: "Volver",
  checkoutText: "El pago se realiza en la página segura de un proveedor de pagos; después volverá aquí.",
  continueToPayment: "Continuar con el pago",
  notPaidContinue: "Todavía no he pagado: continuar con el pago",
  checkAgain: "Comprobar de nuevo",
  backToMerchant: "Volver a {merchant}",
  backToPage: "Volver a la página de pago",
  amount: "Importe",
  merchant: "Comercio",
  reference: "Referencia",
  status: "Estado",
  category: "Categoría",
  sandboxTitle: "{title} (sandbox)",
  sandboxName: "Sandbox.",
  sandboxText: "No se mueve dinero y no se necesita ninguna tarjeta.",
  forSupport: "Para el servicio de atención de la tienda: {id}",
  support: "Ayuda",
  terms: "Términos y condiciones",
  outcomes: {
    waiting: { heading: "Todavía no ha pagado", text: "No se ha cobrado nada." },
    unconfirmed: {
      heading: "Su pago aún no está confirmado",
      text: "Si ha pagado, la confirmación llegará pronto: no vuelva a pagar. Si no ha pagado, puede continuar."
    },
    opening: {
      heading: "Abriendo la página de pago",
      text: "Es posible que la página se esté abriendo en otra pestaña. Vuelva a intentarlo en un momento."
    },
    closed: {
      heading: "La página de pago se ha cerrado",
      text: "Si ha pagado, la confirmación llegará pronto: no vuelva a pagar. Si no ha pagado, no se ha cobrado nada."
    },
    processing: { heading: "Su pago se está procesando", text: `Aún no está confirmado. ${doNotPayAgain}` },
    checking: {
      heading: "Su pago se está comprobando",
      text: `Estamos comprobando si su pago se ha realizado. ${doNotPayAgain}`
    },
    approved: { heading: "Pago aprobado", text: "El importe está reservado. No tiene que hacer nada más." },
    captureUnknown: {
      heading: "Pago aprobado",
      text: "Aún se está comprobando si se ha cobrado el importe. No vuelva a pagar."
    },
    releasing: { heading: "Su pago se está cancelando", text: "Se está liberando el importe reservado." },
    releaseUnknown: {
      heading: "Su pago se está cancelando",
      text: "Aún se está comprobando si se ha liberado el importe reservado."
    },
    complete: { heading: "Pago completado", text: "Su pago se ha realizado. No tiene que hacer nada más." },
    partlyRefunded: { heading: "Pago reembolsado en parte", text: "Se ha reembolsado una parte del importe." },
    refunded: { heading: "Pago reembolsado", text: "Se ha reembolsado el importe." },
    disputed: { heading: "Pago en disputa", text: "El pago se realizó y después se disputó." },
    declined: { heading: "Pago rechazado", text: "No se ha cobrado nada." },
    failed: { heading: "Pago no posible", text: "No se ha podido realizar el pago. No se ha cobrado nada." },
    cancelled: { heading: "Pago cancelado", text: "No se ha cobrado nada." },
    released: { heading: "Pago cancelado", text: "Se ha liberado el importe reservado." },
    expired: {
      heading: "Esta página de pago ha caducado",
      text: "No se ha cobrado nada. Para pagar, empiece de nuevo en la tienda."
    },
    notFound: {
      heading: "No se encuentra la página de pago",
      text: "Es posible que el enlace esté incompleto. Para pagar, empiece de nuevo en la tienda."
    },
    tooMany: { heading: "Demasiadas solicitudes", text: "Vuelva a intentarlo en un momento." },
    wrongMethod: { heading: "Método no permitido", text: "No se ha cambiado nada." },
    unknownAction: { heading: "Opción no válida", text: "No se ha cambiado nada." },
    tooLarge: { heading: "Solicitud demasiado grande", text: "No se ha cambiado nada." },
    unavailable: {
      heading: "No disponible temporalmente",
      text: "Vuelva a intentarlo en un momento. La página de pago mostrará entonces el estado de su pago."
    },
    suspended: { heading: "Esta tienda no acepta pagos en este momento", text: "No se ha cobrado nada." },
    broken: {
      heading: "Algo ha fallado",
      text: "Antes de volver a pagar, compruebe con la tienda si su pago se ha realizado."
    }
  },
  declineReasons: {
    noApproval: "Su banco ha rechazado el pago.",
    insufficientFunds: "La cuenta no tiene fondos suficientes.",
    expiredCard: "La tarjeta ha caducado.",
    invalidCard: "La tarjeta no es válida.",
    limitExceeded: "Se ha superado un límite de la cuenta o de la tarjeta.",
    authenticationFailed: "La autenticación ha fallado.",
    notPermitted: "Este tipo de pago no está permitido para esta tarjeta o cuenta.",
    issuerUnavailable: "No se ha podido contactar con su banco.",
    cancelledByCustomer: "Ha cancelado el pago."
  },
  declineCategories: {
    insufficient_funds: "Fondos insuficientes",
    do_not_honor: "No aceptar",
    expired_card: "Tarjeta caducada",
    invalid_card: "Tarjeta no válida",
    lost_or_stolen: "Perdida o robada",
    suspected_fraud: "Sospecha de fraude",
    limit_exceeded: "Límite superado",
    authentication_failed: "Autenticación fallida",
    not_permitted: "No permitido",
    issuer_unavailable: "Banco no disponible",
    invalid_request: "Solicitud no válida",
    cancelled_by_customer: "Cancelado por el cliente",
    other: "Otro"
  }
}
