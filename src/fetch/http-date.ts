const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DELIMITERS = /[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/;

/**
 * Milliseconds of a date as HTTP writes it, by the algorithm for cookies (RFC 6265, 5.1.1), which reads the three
 * formats of RFC 9110 and whatever else servers make up; undefined when there is no such date.
 */
export function httpDateMs(text: string): number | undefined {
  let time: number[] | undefined;
  let day: number | undefined;
  let month: number | undefined;
  let year: number | undefined;
  for (const token of text.slice(0, 100).split(DELIMITERS)) {
    const clock = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D|$)/.exec(token);
    const number = /^(\d{1,4})(?:\D|$)/.exec(token)?.[1];
    const word = MONTHS.indexOf(token.slice(0, 3).toLowerCase());
    if (time === undefined && clock !== null) time = clock.slice(1).map(Number);
    else if (day === undefined && number !== undefined && number.length <= 2) day = Number(number);
    else if (month === undefined && word >= 0) month = word;
    else if (year === undefined && number !== undefined && number.length >= 2) {
      year = Number(number);
      if (number.length === 2) year += year >= 70 ? 1900 : 2000;
    }
  }
  if (time === undefined || day === undefined || month === undefined || year === undefined)
    return undefined;
  const [hour, minute, second] = time as [number, number, number];
  const ms = Date.UTC(year, month, day, hour, minute, second);
  // Date.UTC rolls over: 30 February would become March.
  const isReal = new Date(ms).getUTCDate() === day && year >= 1601;
  return isReal && hour < 24 && minute < 60 && second < 60 ? ms : undefined;
}
