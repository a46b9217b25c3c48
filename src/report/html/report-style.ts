/** Style of report.html: light, dark by the reader's screen, light on paper; one column from 360 pixels on. */
export const REPORT_STYLE = `
:root{color-scheme:light dark;--ground:#fff;--text:#1b1b1b;--soft:#5a5a5a;--line:#d9d9d9;--card:#f6f7f8;--link:#0b62a4}
@media screen and (prefers-color-scheme:dark){:root{--ground:#16181c;--text:#ececec;--soft:#a9adb3;--line:#32363d;--card:#1e2127;--link:#6db3f2}}
@media print{:root{color-scheme:light}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1360px;padding:1rem;background:var(--ground);color:var(--text);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:1rem 0 .25rem}
p{margin:.25rem 0 .75rem;max-width:60rem}
.soft{color:var(--soft)}
a{color:var(--link)}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;padding:0;margin:.5rem 0}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.5rem;margin:1rem 0;padding:0}
.figures div{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.5rem .75rem}
.figures dt{color:var(--soft);font-size:.85rem}
.figures dd{margin:0;font-size:1.3rem;font-variant-numeric:tabular-nums}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr));gap:1rem}
.plots>*,.sides>*{min-width:0}
.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:0 2rem}
.scroll{overflow-x:auto}
.plot svg{max-width:680px;width:100%;min-width:29rem}
table{border-collapse:collapse;width:100%;min-width:19rem;font-size:.9rem}
.wide{min-width:52rem}
th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere;min-width:4rem}
th{color:var(--soft);font-weight:600}
.address{min-width:13rem}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap;overflow-wrap:normal}
@media print{body{max-width:none;padding:0;font-size:11pt}nav{display:none}h2,h3{break-after:avoid}tr,svg,.figures div{break-inside:avoid}a{color:inherit;text-decoration:none}.scroll{overflow:visible}.wide,.address,.plot svg{min-width:0}}
`.trim();
