import { optional, withDefault } from "../field.ts";
import { text, whole } from "../values/kinds.ts";
import { notEmpty } from "./field-values.ts";

const group = "Output";

/** Fields about looking at a crawl while it runs. */
export const dashboard = {
  dashboard: optional(whole(0, 65_535), {
    flag: "dashboard",
    value: "PORT",
    group,
    about:
      "show the crawl in a browser, on this machine only, and let it be steered there: the address is printed on standard error; without a port any free one",
    examples: ["--dashboard", "--dashboard 8080"],
    bare: "0",
  }),
  listen: withDefault(text("ADDRESS", "an address of this machine", notEmpty), "127.0.0.1", {
    flag: "listen",
    group,
    about:
      "where the dashboard listens; an address that other machines reach needs --dashboard-token",
    examples: ["--listen 0.0.0.0"],
  }),
  dashboardToken: optional(text("TEXT", "at least 16 letters and digits", notEmpty), {
    flag: "dashboard-token",
    group,
    about:
      "who sees the dashboard must know this; a random one is made without it. Others on this machine may read a command line, so the environment is the better place",
    examples: ["--dashboard-token 3f786850e387550fdab8"],
    environment: "ORBWEAVER_DASHBOARD_TOKEN",
  }),
};
