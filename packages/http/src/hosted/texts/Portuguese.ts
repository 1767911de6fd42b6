import type { Texts } from "./Texts.ts"

const doNotPayAgain =
  "Não pague novamente: o valor pode ser cobrado duas vezes. Pode fechar esta página; a loja será notificada."

/** European Portuguese, which readers in Brazil understand. */
export const portuguese: Texts = {
  pay: "Pagar a {merchant}",
  approve: "Aprovar",
  approveAfterChallenge: "Aprovar após uma verificação 3DS",
  declineWithReason: "Recusar com um motivo",
  decline: "Recusar",
  cancel: "Cancelar",
  challenge: "Confirme a sua identidade",
  challengeText:
    "Esta página simula a etapa em que um banco pergunta ao cliente (3-D Secure): este pagamento a {merchant} é seu?",
  passChallenge: "Sim, é meu",
  failChallenge: "Não, falhar a verificação",
  back: "Voltar",
  checkoutText: "O pagamento é feito na página segura de um fornecedor de pagamentos; depois volta para aqui.",
  continueToPayment: "Continuar para o pagamento",
  notPaidContinue: "Ainda não paguei – continuar para o pagamento",
  checkAgain: "Verificar novamente",
  backToMerchant: "Voltar a {merchant}",
  backToPage: "Voltar à página de pagamento",
  amount: "Valor",
  merchant: "Comerciante",
  reference: "Referência",
  status: "Estado",
  category: "Categoria",
  sandboxTitle: "{title} (sandbox)",
  sandboxName: "Sandbox.",
  sandboxText: "Não há movimento de dinheiro e não é necessário um cartão.",
  forSupport: "Para o suporte da loja: {id}",
  support: "Ajuda",
  terms: "Termos e condições",
  outcomes: {
    waiting: { heading: "Ainda não pagou", text: "Nada foi cobrado." },
    unconfirmed: {
      heading: "O seu pagamento ainda não está confirmado",
      text: "Se já pagou, a confirmação chegará em breve: não pague novamente. Se não pagou, pode continuar."
    },
    opening: {
      heading: "A abrir a página de pagamento",
      text: "A página pode estar a abrir noutro separador. Tente novamente dentro de momentos."
    },
    closed: {
      heading: "A página de pagamento foi fechada",
      text: "Se já pagou, a confirmação chegará em breve: não pague novamente. Se não pagou, nada foi cobrado."
    },
    processing: {
      heading: "O seu pagamento está em processamento",
      text: `Ainda não está confirmado. ${doNotPayAgain}`
    },
    checking: {
      heading: "O seu pagamento está em verificação",
      text: `Verificamos se o seu pagamento foi concluído. ${doNotPayAgain}`
    },
    approved: { heading: "Pagamento aprovado", text: "O valor está reservado. Não precisa de fazer mais nada." },
    captureUnknown: {
      heading: "Pagamento aprovado",
      text: "Ainda está em verificação se o valor foi cobrado. Não pague novamente."
    },
    releasing: {
      heading: "O cancelamento do seu pagamento está em curso",
      text: "A libertação do valor reservado está em curso."
    },
    releaseUnknown: {
      heading: "O cancelamento do seu pagamento está em curso",
      text: "Ainda está em verificação se o valor reservado foi libertado."
    },
    complete: {
      heading: "Pagamento concluído",
      text: "O seu pagamento foi concluído. Não precisa de fazer mais nada."
    },
    partlyRefunded: { heading: "Pagamento reembolsado em parte", text: "Uma parte do valor foi reembolsada." },
    refunded: { heading: "Pagamento reembolsado", text: "O valor foi reembolsado." },
    disputed: { heading: "Pagamento contestado", text: "O pagamento foi concluído e depois contestado." },
    declined: { heading: "Pagamento recusado", text: "Nada foi cobrado." },
    failed: { heading: "Pagamento não possível", text: "Não foi possível fazer o pagamento. Nada foi cobrado." },
    cancelled: { heading: "Pagamento cancelado", text: "Nada foi cobrado." },
    released: { heading: "Pagamento cancelado", text: "O valor reservado foi libertado." },
    expired: {
      heading: "Esta página de pagamento expirou",
      text: "Nada foi cobrado. Para pagar, comece novamente na loja."
    },
    notFound: {
      heading: "Página de pagamento não encontrada",
      text: "O link pode estar incompleto. Para pagar, comece novamente na loja."
    },
    tooMany: { heading: "Demasiados pedidos", text: "Tente novamente dentro de momentos." },
    wrongMethod: { heading: "Método não permitido", text: "Nada foi alterado." },
    unknownAction: { heading: "Opção inválida", text: "Nada foi alterado." },
    tooLarge: { heading: "Pedido demasiado grande", text: "Nada foi alterado." },
    unavailable: {
      heading: "Temporariamente indisponível",
      text: "Tente novamente dentro de momentos. A página de pagamento mostrará então o estado do seu pagamento."
    },
    suspended: { heading: "Esta loja não aceita pagamentos neste momento", text: "Nada foi cobrado." },
    broken: {
      heading: "Ocorreu um problema",
      text: "Antes de pagar novamente, verifique com a loja se o seu pagamento foi concluído."
    }
  },
  declineReasons: {
    noApproval: "O seu banco recusou o pagamento.",
    insufficientFunds: "A conta não tem saldo suficiente.",
    expiredCard: "O cartão expirou.",
    invalidCard: "O cartão não é válido.",
    limitExceeded: "Foi excedido um limite da conta ou do cartão.",
    authenticationFailed: "A autenticação falhou.",
    notPermitted: "Este tipo de pagamento não é permitido para este cartão ou esta conta.",
    issuerUnavailable: "Não foi possível contactar o seu banco.",
    cancelledByCustomer: "Cancelou o pagamento."
  },
  declineCategories: {
    insufficient_funds: "Saldo insuficiente",
    do_not_honor: "Não aceitar",
    expired_card: "Cartão expirado",
    invalid_card: "Cartão inválido",
    lost_or_stolen: "Perdido ou roubado",
    suspected_fraud: "Suspeita de fraude",
    limit_exceeded: "Limite excedido",
    authentication_failed: "Falha na autenticação",
    not_permitted: "Não permitido",
    issuer_unavailable: "Banco indisponível",
    invalid_request: "Pedido inválido",
    cancelled_by_customer: "Cancelado pelo cliente",
    other: "Outro"
  }
}
