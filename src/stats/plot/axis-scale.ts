/** One axis: what it shows, in which unit, and how far it goes where the values do not decide that. */
export interface Axis {
  readonly label: string;
  readonly unit?: string;
  readonly log?: boolean;
  /** Linear axes begin at 0 unless values are below it, or this says otherwise. */
  readonly from?: number;
  readonly to?: number;
}

/** From values to pixels, and where the marks are. */
export interface AxisScale {
  readonly ticks: readonly number[];
  /** Undefined for what the axis cannot show: 0 and less on a logarithmic one, and what is no number. */
  at(value: number): number | undefined;
}

/** A logarithmic axis with no more different values than this is marked at the values themselves. */
const MAX_OWN_MARKS = 9;
/** What is smaller cannot be seen on any axis, and has no marks. */
const LEAST = 1e-12;

/** A scale for these values between two pixels. */
export function axisScale(
  axis: Axis,
  values: readonly number[],
  start: number,
  end: number,
): AxisScale {
  const shown = values.filter((value) => Number.isFinite(value) && !(axis.log && value < LEAST));
  let low = axis.from ?? shown.reduce((a, b) => Math.min(a, b), axis.log ? Infinity : 0);
  let high = axis.to ?? shown.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!Number.isFinite(low)) low = axis.log ? 1 : 0;
  if (!Number.isFinite(high) || high < low) high = low;
  if (high - low < LEAST) high = axis.log ? low * 10 : low + 1;
  const share = axis.log
    ? (value: number) => Math.log(value / low) / Math.log(high / low)
    : (value: number) => (value - low) / (high - low);
  return {
    ticks: axis.log ? logTicks(low, high, shown) : linearTicks(low, high),
    at(value) {
      if (!Number.isFinite(value) || (axis.log && value < LEAST)) return undefined;
      return start + Math.min(1, Math.max(0, share(value))) * (end - start);
    },
  };
}

function linearTicks(low: number, high: number): number[] {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999)!;
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

function logTicks(low: number, high: number, values: readonly number[]): number[] {
  const own = [...new Set(values)].sort((a, b) => a - b);
  const isApart = own.every((value, i) => i === 0 || value / own[i - 1]! >= 1.3);
  // Values that do not reach both ends would leave a part of the axis without a mark, as counts over a bottom of 0.5 do.
  const isWhole = own[0] === low && own.at(-1) === high;
  if (own.length > 1 && own.length <= MAX_OWN_MARKS && isApart && isWhole) return own;
  const decades = Math.log10(high / low);
  const digits =
    decades > 4
      ? [1]
      : decades > 1.5
        ? [1, 3]
        : decades > 0.7
          ? [1, 2, 5]
          : [1, 1.5, 2, 3, 4, 5, 7];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
    for (const digit of digits) ticks.push(Number(`${digit}e${power}`));
  }
  return ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
}

/** A number as short as an axis needs it: 12k, 1.5M, 0.003. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  const short = (scaled: number) => String(Number(scaled.toPrecision(3)));
  if (size >= 1e9) return `${short(value / 1e9)}G`;
  if (size >= 1e6) return `${short(value / 1e6)}M`;
  if (size >= 1e4) return `${short(value / 1e3)}k`;
  return Number.isInteger(value) ? String(value) : short(value);
}
