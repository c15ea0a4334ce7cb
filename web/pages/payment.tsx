/** The payment of the sandbox page: the code is bound to its amount, and the page can change the amount in between. */
import { useState } from 'preact/hooks';
import type { Client } from '../../client/index.ts';
import { formatMoney } from '../intl/money.ts';
import { ConfirmForm, type CodeListener, type Outcome } from './confirm-form.tsx';
import { pageLocale } from './page-locale.ts';
import { texts } from './sandbox-page-texts.ts';

const payment = { purpose: 'payment', amount: '24.90', currency: 'EUR', payee: 'Corner Shop' };
const changedPayment = { ...payment, amount: '2490.00' };
const amountOf = ({ amount, currency }: typeof payment) => formatMoney(pageLocale, amount, currency);

/** Pay 24.90 EUR to Corner Shop. */
export const payLabel = texts.pay(amountOf(payment), payment.payee);

const elementName = '<ledgerline-confirm>';
const [beforeElement, afterElement] = texts.payAbout(elementName).split(elementName);

interface PaymentProps extends CodeListener {
  client: Client;
  userId: number;
  phoneNumber: string | undefined;
  channels: string;
  now(): number;
}

export function Payment(props: PaymentProps) {
  const [isChanged, setChanged] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  return (
    <>
      <ConfirmForm
        {...props}
        act={payment}
        actAtCheck={() => (isChanged ? changedPayment : payment)}
        onEnded={(ended) => {
          setOutcome(ended);
          props.onEnded(ended);
        }}
        onApproved={() => undefined}
      />
      {outcome === undefined && (
        <div class="back-end">
          <p class="soft">
            {beforeElement}
            <code dir="ltr">{elementName}</code>
            {afterElement}
          </p>
          <label>
            <input type="checkbox" checked={isChanged} onChange={(event) => setChanged(event.currentTarget.checked)} />
            {texts.changeAmount(amountOf(changedPayment))}
          </label>
        </div>
      )}
      {outcome === 'void' && isChanged && (
        <p class="back-end soft">{texts.amountChanged(amountOf(payment), amountOf(changedPayment))}</p>
      )}
    </>
  );
}
