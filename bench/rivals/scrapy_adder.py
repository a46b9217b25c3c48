"""Scrapy's disk queue and duplicate filter: python scrapy_adder.py FOLDER URL-FILE PAGE-LINKS WARM-PAGES

Prints the CPU time of the adding alone and how many URLs were kept. Scrapy never syncs: it is measured as it is.
"""
import json
import resource
import sys
import time
from pathlib import Path

import scrapy
from scrapy.dupefilters import RFPDupeFilter
from scrapy.squeues import PickleFifoDiskQueue
from scrapy.utils.request import RequestFingerprinter
from scrapy.utils.test import get_crawler

folder, url_file, page_links, warm_pages = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
crawler = get_crawler(scrapy.Spider, {"JOBDIR": folder})
crawler.spider = crawler._create_spider("bench")
crawler.request_fingerprinter = RequestFingerprinter(crawler)
queue = PickleFifoDiskQueue.from_crawler(crawler, str(Path(folder) / "queue"))
seen = RFPDupeFilter.from_crawler(crawler)
urls = Path(url_file).read_text("latin1").splitlines()

seconds = 0.0
measured = 0
for page, start in enumerate(range(0, len(urls), page_links)):
    requests = [scrapy.Request(url) for url in urls[start : start + page_links]]
    if page == warm_pages:
        seconds, measured = 0.0, 0
    before = time.process_time()
    for request in requests:
        if not seen.request_seen(request):
            queue.push(request)
    seconds += time.process_time() - before
    measured += len(requests)
before = time.process_time()
seen.close("finished")
kept = len(queue)
queue.close()
seconds += time.process_time() - before
rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"micros": seconds * 1e6, "measured": measured, "kept": kept, "rss": rss, "version": scrapy.__version__}))
