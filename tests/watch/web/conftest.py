"""Chromium, started once for each module of tests, and a tab with the page that a module serves."""

from collections.abc import Iterator

import pytest

from antelog.run.store.store import Store
from antelog.watch.web.serving import Page
from tests.watch.browser import Browser, Tab, browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture
def writer(page_and_store: tuple[Page, Store]) -> Store:
    return page_and_store[1]


@pytest.fixture
def tab(chromium: Browser, page_and_store: tuple[Page, Store]) -> Iterator[Tab]:
    found = chromium.opened(page_and_store[0].address.link)
    # The first view is there before the scripts are.
    found.until("typeof shown === 'string' && shown && document.querySelectorAll('.rows .row').length >= 5")
    yield found
    assert found.errors == []
