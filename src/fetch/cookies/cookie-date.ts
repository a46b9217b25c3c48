const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DELIMITERS = /[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/;

/** Milliseconds of a cookie's Expires attribute by the algorithm of RFC 6265, 5.1.1; undefined when it fails. */
export function cookieDateMs(text: string): number | undefined {
  let time: [number, number, number] | undefined;
  let day: number | undefined;
  let month: number | undefined;
  let year: number | undefined;
  for (const token of text.slice(0, 100).split(DELIMITERS)) {
    const clock = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D|$)/.exec(token);
    const number = /^(\d{1,4})(?:\D|$)/.exec(token)?.[1];
    if (time === undefined && clock !== null) {
      time = [Number(clock[1]), Number(clock[2]), Number(clock[3])];
    } else if (day === undefined && number !== undefined && number.length <= 2) {
      day = Number(number);
    } else if (month === undefined && MONTHS.includes(token.slice(0, 3).toLowerCase())) {
      month = MONTHS.indexOf(token.slice(0, 3).toLowerCase());
    } else if (year === undefined && number !== undefined && number.length >= 2) {
      year = Number(number);
      if (number.length === 2) year += year >= 70 ? 1900 : 2000;
    }
  }
  if (time === undefined || day === undefined || month === undefined || year === undefined) {
    return undefined;
  }
  const [hour, minute, second] = time;
  if (day < 1 || day > 31 || year < 1601 || hour > 23 || minute > 59 || second > 59) {
    return undefined;
  }
  return Date.UTC(year, month, day, hour, minute, second);
}
