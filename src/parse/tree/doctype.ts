// Only the quirks that decide whether a table closes a p element matter here.

const NAME = /^<!doctype[\t\n\f\r ]*([^\t\n\f\r >]*)[\t\n\f\r ]*(.*?)>?$/is;
const PUBLIC =
  /^public[\t\n\f\r ]*(?:"([^">]*)("?)|'([^'>]*)('?))[\t\n\f\r ]*(?:"([^">]*)("?)|'([^'>]*)('?))?/i;
const SYSTEM = /^system[\t\n\f\r ]*(?:"([^">]*)("?)|'([^'>]*)('?))/i;

const QUIRKY_PREFIXES = (
  "+//silmaril//dtd html pro v0r11 19970101//|-//as//dtd html 3.0 aswedit + extensions//|" +
  "-//advasoft ltd//dtd html 3.0 aswedit + extensions//|-//ietf//dtd html 2.0 level 1//|" +
  "-//ietf//dtd html 2.0 level 2//|-//ietf//dtd html 2.0 strict level 1//|" +
  "-//ietf//dtd html 2.0 strict level 2//|-//ietf//dtd html 2.0 strict//|-//ietf//dtd html 2.0//|" +
  "-//ietf//dtd html 2.1e//|-//ietf//dtd html 3.0//|-//ietf//dtd html 3.2 final//|" +
  "-//ietf//dtd html 3.2//|-//ietf//dtd html 3//|-//ietf//dtd html level 0//|" +
  "-//ietf//dtd html level 1//|-//ietf//dtd html level 2//|-//ietf//dtd html level 3//|" +
  "-//ietf//dtd html strict level 0//|-//ietf//dtd html strict level 1//|" +
  "-//ietf//dtd html strict level 2//|-//ietf//dtd html strict level 3//|" +
  "-//ietf//dtd html strict//|-//ietf//dtd html//|-//metrius//dtd metrius presentational//|" +
  "-//microsoft//dtd internet explorer 2.0 html strict//|" +
  "-//microsoft//dtd internet explorer 2.0 html//|-//microsoft//dtd internet explorer 2.0 tables//|" +
  "-//microsoft//dtd internet explorer 3.0 html strict//|" +
  "-//microsoft//dtd internet explorer 3.0 html//|-//microsoft//dtd internet explorer 3.0 tables//|" +
  "-//netscape comm. corp.//dtd html//|-//netscape comm. corp.//dtd strict html//|" +
  "-//o'reilly and associates//dtd html 2.0//|-//o'reilly and associates//dtd html extended 1.0//|" +
  "-//o'reilly and associates//dtd html extended relaxed 1.0//|" +
  "-//sq//dtd html 2.0 hotmetal + extensions//|-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//|" +
  "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//|" +
  "-//spyglass//dtd html 2.0 extended//|-//sun microsystems corp.//dtd hotjava html//|" +
  "-//sun microsystems corp.//dtd hotjava strict html//|-//w3c//dtd html 3 1995-03-24//|" +
  "-//w3c//dtd html 3.2 draft//|-//w3c//dtd html 3.2 final//|-//w3c//dtd html 3.2//|" +
  "-//w3c//dtd html 3.2s draft//|-//w3c//dtd html 4.0 frameset//|-//w3c//dtd html 4.0 transitional//|" +
  "-//w3c//dtd html experimental 19960712//|-//w3c//dtd html experimental 970421//|" +
  "-//w3c//dtd w3 html//|-//w3o//dtd w3 html 3.0//|-//webtechs//dtd mozilla html 2.0//|" +
  "-//webtechs//dtd mozilla html//"
).split("|");
const QUIRKY_WITHOUT_SYSTEM = [
  "-//w3c//dtd html 4.01 frameset//",
  "-//w3c//dtd html 4.01 transitional//",
];
const QUIRKY_IDS = new Set([
  "-//w3o//dtd w3 html strict 3.0//en//",
  "-/w3c/dtd html 4.0 transitional/en",
  "html",
]);
const QUIRKY_SYSTEM = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd";

/** True when a doctype puts the page into quirks mode (HTML, 13.2.6.4.1). */
export function isQuirky(doctype: string): boolean {
  const found = NAME.exec(doctype);
  if (found === null || !doctype.endsWith(">") || found[1]!.toLowerCase() !== "html") return true;
  const rest = found[2]!;
  if (rest === "") return false;
  const declared = PUBLIC.exec(rest);
  if (declared === null) {
    const system = SYSTEM.exec(rest);
    if (system === null || (system[2] || system[4] || "") === "") return true;
    return (system[1] ?? system[3] ?? "").toLowerCase() === QUIRKY_SYSTEM;
  }
  if ((declared[2] || declared[4] || "") === "") return true; // the identifier never ends
  const publicId = (declared[1] ?? declared[3] ?? "").toLowerCase();
  const systemId = declared[5] ?? declared[7];
  if (systemId !== undefined && (declared[6] || declared[8] || "") === "") return true;
  if (systemId?.toLowerCase() === QUIRKY_SYSTEM || QUIRKY_IDS.has(publicId)) return true;
  if (QUIRKY_PREFIXES.some((prefix) => publicId.startsWith(prefix))) return true;
  return (
    systemId === undefined && QUIRKY_WITHOUT_SYSTEM.some((prefix) => publicId.startsWith(prefix))
  );
}
