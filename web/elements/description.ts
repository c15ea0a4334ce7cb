/**
 * What an element offers to a page, in one place: its types, the manifest of custom elements and the components for React are
 * made from it at build time. Scripts contain nothing of it but the attributes.
 */
import type { Attributes } from './define-element.ts';

export interface ElementDescription<Names extends Attributes = Attributes> {
  tag: string;
  className: string;
  about: string;
  attributeKinds: Names;
  attributes: Record<keyof Names, DescribedAttribute>;
  /** Properties without an attribute. */
  properties: Record<string, DescribedMember>;
  /** Each with its parameters. */
  methods: Record<string, { parameters: string; about: string }>;
  /** Each with the type of its detail. */
  events: Record<string, { detail: string; about: string }>;
  parts: Record<string, string>;
  slots: Record<string, string>;
}

interface DescribedAttribute {
  about: string;
  /** The values that it may have, as a type; if not given, any of its kind. */
  values?: string;
}

interface DescribedMember {
  type: string;
  about: string;
  isReadonly?: boolean;
}

/** The properties of the style that a page may set, on the element or around it. */
export const cssProperties: Record<string, string> = {
  font: 'The font family.',
  mono: 'The font family of ids and code.',
  'form-height': 'The height that a form keeps free at least, so that the page does not move; 0px for none.',
  radius: 'The radius of the corners of cards.',
  ground: 'The colour behind everything.',
  card: 'The colour of cards and fields.',
  raised: 'The colour of what is marked or waits.',
  ink: 'The colour of text.',
  soft: 'The colour of less important text.',
  line: 'The colour of lines.',
  edge: 'The colour of the borders of fields.',
  accent: 'The colour of links and marks.',
  'accent-ground': 'The colour of main buttons, under white text.',
  'accent-soft': 'The colour behind what is chosen.',
  good: 'The colour of incoming money and success.',
  'good-soft': 'The colour behind it.',
  warn: 'The colour of what is pending, and of warnings.',
  'warn-soft': 'The colour behind it.',
  bad: 'The colour of failures.',
  'bad-soft': 'The colour behind it.',
  shadow: 'The shadow of cards.',
  lifted: 'The shadow of what lies over the page.',
};

const token = {
  type: 'TokenSource | undefined',
  about: 'Gives a token; called again with true when the service refused the last one.',
};
const texts = {
  type: 'Record<string, unknown>',
  about: 'Your own texts; those not given stay in the language of locale.',
};
const now = { type: '() => number', about: 'Replaces the clock of the browser: milliseconds since 1970.' };

/** What several elements have. */
export const shared = {
  token,
  texts,
  now,
  attributes: {
    'base-url': { about: 'The address of the service; this origin if not given.' },
    locale: { about: 'The language of texts, amounts and dates; that of the browser if not given.' },
    'hide-title': { about: 'Leaves the title out.' },
    channels: { about: 'The channels by which a code may be sent again, separated by commas: sms, voice, whatsapp.' },
    'resend-seconds': { about: 'The pause before another code is offered: 30 if not given.' },
    autofocus: { about: 'The field gets the focus immediately.' },
  },
  codeParts: {
    form: 'The form.',
    title: 'The title of a step.',
    text: 'The sentence below the title.',
    code: 'The field of the code.',
    box: 'The box of one digit.',
    message: 'What went wrong.',
    button: 'The main button.',
    resend: 'The button that sends another code.',
    voice: 'The button that asks for a call.',
    whatsapp: 'The button that asks for a message in WhatsApp.',
    seal: 'The picture of success.',
  },
};
