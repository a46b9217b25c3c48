# Reads a JSON line per page ({"html", "url"}) and answers one with the main text by trafilatura, in the same order.
import json
import sys
import time

import trafilatura

seconds = 0.0
for line in sys.stdin:
    page = json.loads(line)
    start = time.process_time()
    found = trafilatura.bare_extraction(page["html"], url=page["url"], include_comments=False, with_metadata=True)
    seconds += time.process_time() - start
    if found is None:
        answer = {"title": "", "text": ""}
    else:
        found = found if isinstance(found, dict) else found.as_dict()
        answer = {"title": found.get("title") or "", "text": found.get("text") or ""}
    print(json.dumps(answer))
print(json.dumps({"version": trafilatura.__version__, "cpuSeconds": seconds}))
