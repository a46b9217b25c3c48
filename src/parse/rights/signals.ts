import { isTrainingRefused } from "../../fetch/robots/content-signal.ts";
import type { ParsedPage } from "../parsed-page.ts";
import type { RobotsDirectives } from "../robots-meta.ts";

/** What a page, its server or its robots.txt says about the use of its content; only what is there is present. */
export interface Signals {
  /** 1: the rights to text and data mining are reserved (TDMRep); 0: they are not. */
  tdmReservation?: 0 | 1;
  /** Where the terms are. */
  tdmPolicy?: string;
  /** Directives of robots meta and X-Robots-Tag that address all crawlers, or this one. */
  noai?: true;
  noimageai?: true;
  /** X-Robots-Tag as it came, several lines joined. */
  robotsTag?: string;
  /** Content-Signal lines of robots.txt for this crawler. */
  contentSignal?: string;
  /** Targets of links with rel=license, of the page and of its Link header. */
  licenses?: string[];
}

const MAX_CHARACTERS = 512;
const MAX_LICENSES = 10;

/** The headers that signals come from. */
export interface SignalHeaders {
  readonly reservation?: string | undefined;
  readonly policy?: string | undefined;
  readonly robotsTag?: string | undefined;
  readonly directives?: RobotsDirectives | undefined;
  readonly licenses?: readonly string[] | undefined;
}

/** What headers say; undefined when that is nothing. */
export function headerSignals(headers: SignalHeaders): Signals | undefined {
  const signals: Signals = {};
  addReservation(signals, headers.reservation, headers.policy);
  addDirectives(signals, headers.directives);
  if (headers.robotsTag) signals.robotsTag = headers.robotsTag.slice(0, MAX_CHARACTERS);
  addLicenses(signals, headers.licenses);
  return isEmpty(signals) ? undefined : signals;
}

type Told = Pick<ParsedPage, "robots" | "tdmReservation" | "tdmPolicy" | "licenses">;

/** The same with what the page says; the header goes before the page, and any noai counts. Most pages say nothing. */
export function withPageSignals(headers: Signals | undefined, page: Told): Signals | undefined {
  const { robots, tdmReservation, tdmPolicy, licenses } = page;
  const says = tdmReservation ?? tdmPolicy ?? licenses ?? robots.noai ?? robots.noimageai;
  if (says === undefined) return headers;
  const signals: Signals = {};
  addReservation(signals, tdmReservation, tdmPolicy);
  Object.assign(signals, headers);
  addDirectives(signals, robots);
  addLicenses(signals, licenses);
  return isEmpty(signals) ? undefined : signals;
}

/** Which signal forbids to keep a response for text and data mining; undefined when none does. */
export function reservedBy(signals: Signals | undefined, mime: string): string | undefined {
  if (signals === undefined) return undefined;
  if (signals.tdmReservation === 1) return "tdm-reservation";
  if (signals.noai) return "noai";
  if (signals.noimageai && mime.startsWith("image/")) return "noimageai";
  return isTrainingRefused(signals.contentSignal) ? "Content-Signal" : undefined;
}

function addReservation(signals: Signals, reservation?: string, policy?: string): void {
  const value = reservation?.trim();
  if (value === "0" || value === "1") signals.tdmReservation = value === "1" ? 1 : 0;
  if (policy) signals.tdmPolicy = policy.slice(0, MAX_CHARACTERS);
}

function addDirectives(signals: Signals, directives: RobotsDirectives | undefined): void {
  if (directives?.noai) signals.noai = true;
  if (directives?.noimageai) signals.noimageai = true;
}

function addLicenses(signals: Signals, licenses: readonly string[] | undefined): void {
  if (licenses === undefined || licenses.length === 0) return;
  const all = new Set([...(signals.licenses ?? []), ...licenses]);
  signals.licenses = [...all].slice(0, MAX_LICENSES);
}

function isEmpty(signals: Signals): boolean {
  return Object.keys(signals).length === 0;
}
