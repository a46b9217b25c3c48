const MAX_CHARACTERS = 40;
const W3C =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?)?)?$/i;
const MAIL =
  /^(?:[a-z]{3,9},?\s+)?(\d{1,2})\s+([a-z]{3})[a-z]*\s+(\d{4}|\d\d)\s+(\d\d?):(\d\d)(?::(\d\d))?\s+([a-z]{1,3}|[+-]\d{4})$/i;

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const ZONE_HOURS: Readonly<Record<string, number>> = {
  z: 0,
  ut: 0,
  utc: 0,
  gmt: 0,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
};

/** A date of a sitemap (W3C profile) or feed (RFC 822) as milliseconds since 1970; undefined when it is neither. */
export function sitemapDate(written: string): number | undefined {
  const text = written.trim();
  if (text === "" || text.length > MAX_CHARACTERS) return undefined;
  const w3c = W3C.exec(text);
  if (w3c !== null) {
    const [, year, month = "1", day = "1", hour = "0", minute = "0", second = "0", zone] = w3c;
    return timeOf([year, month, day, hour, minute, second].map(Number), zone ?? "Z");
  }
  const mail = MAIL.exec(text);
  if (mail === null) return undefined;
  const [, day, month, year, hour, minute, second = "0", zone] = mail;
  const fullYear = Number(year) + (year!.length === 4 ? 0 : Number(year) < 70 ? 2000 : 1900);
  const monthNumber = MONTHS.indexOf(month!.toLowerCase()) + 1;
  return timeOf([fullYear, monthNumber, ...[day, hour, minute, second].map(Number)], zone!);
}

function timeOf(parts: readonly number[], zone: string): number | undefined {
  const [year, month, day, hour, minute, second] = parts as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || (day > 28 && day > daysIn(year, month)))
    return undefined;
  if (hour > 24 || minute > 59 || second > 60) return undefined;
  const offsetMinutes = offsetOf(zone);
  if (offsetMinutes === undefined) return undefined;
  return (
    Date.UTC(year, month - 1, day) + ((hour * 60 + minute - offsetMinutes) * 60 + second) * 1000
  );
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function offsetOf(zone: string): number | undefined {
  const numeric = /^([+-])(\d\d):?(\d\d)$/.exec(zone);
  if (numeric === null) {
    const hours = ZONE_HOURS[zone.toLowerCase()];
    return hours === undefined ? undefined : hours * 60;
  }
  const minutes = Number(numeric[2]) * 60 + Number(numeric[3]);
  return numeric[1] === "-" ? -minutes : minutes;
}
