"""A streaming pipeline: its checkpoint is locked and guarded, its query followed and stopped."""
