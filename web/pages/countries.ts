/** Countries to choose from, with their calling codes and a number that looks like theirs. */
const table = `
AE 971 501234567
AR 54 91123456789
AT 43 664123456
AU 61 412345678
BE 32 470123456
BG 359 48123456
BR 55 11961234567
CA 1 5062345678
CH 41 781234567
CL 56 221234567
CN 86 13123456789
CO 57 3211234567
CZ 420 601123456
DE 49 15123456789
DK 45 32123456
EG 20 1001234567
ES 34 612345678
FI 358 412345678
FR 33 612345678
GB 44 7911123456
GR 30 6912345678
HR 385 921234567
HU 36 201234567
ID 62 812345678
IE 353 850123456
IL 972 502345678
IN 91 8123456789
IT 39 3123456789
JP 81 9012345678
KE 254 712123456
KR 82 1020000000
MA 212 650123456
MX 52 2221234567
MY 60 123456789
NG 234 8021234567
NL 31 612345678
NO 47 40612345
NZ 64 211234567
PE 51 912345678
PH 63 9051234567
PK 92 3012345678
PL 48 512345678
PT 351 912345678
RO 40 712034567
RS 381 601234567
SA 966 512345678
SE 46 701234567
SG 65 81234567
SI 386 31234567
SK 421 912123456
TH 66 812345678
TR 90 5012345678
UA 380 501234567
US 1 2015550123
VN 84 912345678
ZA 27 711234567`;

export interface Country {
  code: string;
  name: string;
  callingCode: string;
  example: string;
}

const names = new Intl.DisplayNames(['en'], { type: 'region' });

export const countries: Country[] = table
  .trim()
  .split('\n')
  .map((line) => {
    const [code, callingCode, example] = line.split(' ') as [string, string, string];
    return { code, callingCode, example, name: names.of(code) ?? code };
  })
  .sort((a, b) => a.name.localeCompare(b.name));

/** Where the viewer's language is spoken, if we know the place. */
export function homeCountry(languages: readonly string[]): Country {
  const regions = languages.map((tag) => new Intl.Locale(tag).region);
  const home = countries.find(({ code }) => regions.includes(code));
  return home ?? countries.find(({ code }) => code === 'GB')!;
}

/** What a person types, as E.164: without spaces and punctuation, and without the zero that is dialled at home. */
export function toE164(country: Country, typed: string): string {
  const plain = typed.replace(/[\s().\-/]/g, '');
  if (plain.startsWith('+')) return plain;
  if (plain.startsWith('00')) return `+${plain.slice(2)}`;
  // Italy dials its zero from abroad too.
  return `+${country.callingCode}${country.code === 'IT' ? plain : plain.replace(/^0/, '')}`;
}
