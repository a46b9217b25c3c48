"""Crawls as Scrapy does, with nothing kept on disk: python crawl_with_scrapy.py PAGES SEED..."""
import sys

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

SETTINGS = {
    "LOG_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS": 32,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 32,
    "CLOSESPIDER_PAGECOUNT": int(sys.argv[1]),
    "TELNETCONSOLE_ENABLED": False,
}


class Pages(scrapy.Spider):
    name = "pages"
    start_urls = sys.argv[2:]
    links = LinkExtractor()

    def parse(self, response):
        for link in self.links.extract_links(response):
            yield response.follow(link)


process = CrawlerProcess(SETTINGS)
process.crawl(Pages)
process.start()
