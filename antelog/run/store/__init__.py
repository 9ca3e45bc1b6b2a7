"""The store of a run: a file that one process writes and others read, and feeds of lines.

driver ── Store ──▶ turbines.state ──▶ StoredFeedAt, FeedReader ── page, alerts
Spark ── BatchFeed, FolderFeed ──▶ changes.feed/ ──▶ FolderFeed, FeedReader ── page
"""

from antelog.run.store.batches import BatchFeed, FolderFeed, is_folder_feed
from antelog.run.store.database import is_store
from antelog.run.store.feed import FeedReader, Record, StoredFeedAt, about, record_of, reject_line, source_of
from antelog.run.store.inbox import Inbox, names_of, post
from antelog.run.store.store import RecordedStep, Store, StoredRows, StoredState

__all__ = [
    "BatchFeed",
    "FeedReader",
    "FolderFeed",
    "Inbox",
    "Record",
    "RecordedStep",
    "Store",
    "StoredFeedAt",
    "StoredRows",
    "StoredState",
    "about",
    "is_folder_feed",
    "is_store",
    "names_of",
    "post",
    "record_of",
    "reject_line",
    "source_of",
]
