import type { Words } from './words.ts';

/** Arabic. */
export const arabic: Words = {
  detailNames: {
    senderIban: 'رقم IBAN للمرسل',
    receiverIban: 'رقم IBAN للمستلم',
    senderBic: 'رمز BIC للمرسل',
    receiverBic: 'رمز BIC للمستلم',
    accountNumber: 'رقم الحساب',
    senderEmail: 'البريد الإلكتروني للمرسل',
    receiverEmail: 'البريد الإلكتروني للمستلم',
    merchant: 'التاجر',
    cardNetwork: 'شبكة البطاقة',
    cardPan: 'رقم البطاقة',
    cardAlias: 'اسم البطاقة',
    paymentProvider: 'مزود الدفع',
    purposeDet: 'الغرض',
    scaStatus: 'المصادقة',
    reference: 'المرجع',
    transactionFee: 'الرسوم',
    originalAmount: 'المبلغ الأصلي',
    balanceAfter: 'الرصيد بعد العملية',
    additionalData: 'بيانات إضافية',
  },
  types: {
    P2P: 'تحويل',
    CARD: 'بطاقة',
    SEPA: 'تحويل مصرفي',
    TOPUP: 'شحن رصيد',
    FEE: 'رسوم',
    REFUND: 'استرداد',
  },
  statuses: {
    Pending: 'قيد الانتظار',
    Accepted: 'مكتملة',
    Rejected: 'مرفوضة',
    Reversed: 'معكوسة',
    Cancelled: 'ملغاة',
  },
  systems: {
    INTERNAL: 'داخل المحفظة',
    SEPA: 'SEPA',
    SEPA_INSTANT: 'SEPA فوري',
    CARD: 'شبكة البطاقات',
    SWIFT: 'SWIFT',
  },
};
