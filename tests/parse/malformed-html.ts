import fc from "fast-check";

const TAGS =
  "a a a area b i p div span table table tr td th tbody thead tfoot caption col colgroup select option optgroup svg math mi mtext foreignObject desc title style script textarea iframe frameset frame noframes noscript template head body html form input button li ul dd dt h1 h2 nobr br hr img link base meta object marquee applet annotation-xml font pre ruby rt x-y g path keygen".split(
    " ",
  );

const ATTRIBUTES = [
  "",
  " href=@",
  ' href="@"',
  " HREF='@&amp;x'",
  " src=@",
  " xlink:href=@",
  " src=@ href=@x",
  " type=hidden",
  " encoding=text/html",
  " color=x",
  ' http-equiv=refresh content="1;@"',
];

const SCRAPS = [
  " ",
  "x",
  "&#32;",
  "\0",
  "<!--",
  "-->",
  "<![CDATA[",
  "]]>",
  "<",
  "</",
  "<?",
  "&nbsp;",
  "<!x>",
  "\r\n",
  "<a href=",
  '"',
  "'",
  ">",
  "&amp",
  "<!-->",
];

const startTag = fc
  .tuple(fc.constantFrom(...TAGS), fc.constantFrom(...ATTRIBUTES), fc.constantFrom("", "", "", "/"))
  .map(([name, attributes, slash]) => `<${name}${attributes}${slash}>`);
const endTag = fc.constantFrom(...TAGS).map((name) => `</${name}>`);

/** Pages made of every tag that tree construction treats specially, in any order, never well formed. */
export const malformedHtml: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom("", "<!doctype html>", "<!doctype html><body>"),
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: startTag },
        { weight: 3, arbitrary: endTag },
        { weight: 2, arbitrary: fc.constantFrom(...SCRAPS) },
      ),
      { maxLength: 40 },
    ),
  )
  .map(([start, parts]) => {
    let count = 0; // every link gets a value of its own, so that order can be told
    return start + parts.join("").replaceAll("@", () => `u${count++}`);
  });
