"""S3Proxy of Maven's archives, a server that speaks S3; its objects are in a folder, so it outlives kills."""

from __future__ import annotations

import shutil
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.processes import Process, kill_with_children, started, until
from tests.servers import fetched, free_port

_ARCHIVE = "org.gaul:s3proxy:2.7.0"
USER, PASSWORD, BUCKET = "reader-of-plant", "hunter2-of-the-store", "plant"
_QUIET = '<configuration><root level="off"/></configuration>'


@dataclass
class S3Proxy:
    """A store with one bucket, which can be killed and started again."""

    folder: Path
    port: int
    command: list[str]
    stack: ExitStack = field(default_factory=ExitStack)
    process: Process | None = None

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> Mapping[str, str]:
        """What a process needs to read it."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": USER,
            "AWS_SECRET_ACCESS_KEY": PASSWORD,
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_RESPONSE_CHECKSUM_VALIDATION": "when_required",  # it does not know the header for more
        }

    @cached_property
    def files(self) -> Any:
        import s3fs  # noqa: PLC0415 - an extra

        return s3fs.S3FileSystem(
            key=USER, secret=PASSWORD, endpoint_url=self.endpoint,
            # It does not know checksums behind the data of an object.
            config_kwargs={"request_checksum_calculation": "when_required"},
            use_listings_cache=False, skip_instance_cache=True,
        )  # fmt: skip

    def put(self, name: str, data: str | bytes) -> None:
        """Writes an object of the bucket."""
        self.files.pipe_file(f"{BUCKET}/{name}", data.encode() if isinstance(data, str) else data)

    def start(self) -> None:
        log = self.folder / "log"
        with log.open("ab") as said:
            self.process = self.stack.enter_context(
                started(self.command, cwd=self.folder, stdout=said, stderr=said)
            )
        until(self._answers, self.process, lambda: log.read_text(errors="replace")[-800:])

    def stop(self) -> None:
        assert self.process is not None
        kill_with_children(self.process)

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True


@contextmanager
def s3proxy() -> Iterator[S3Proxy]:
    """A store of one's own. Raises UnavailableError."""
    jars = fetched("s3proxy", [_ARCHIVE])
    folder, port = Path(tempfile.mkdtemp(prefix="antelog-s3proxy-")), free_port()
    (folder / "kept" / BUCKET).mkdir(parents=True)
    settings = {
        "s3proxy.endpoint": f"http://127.0.0.1:{port}",
        "s3proxy.authorization": "aws-v2-or-v4",
        "s3proxy.identity": USER,
        "s3proxy.credential": PASSWORD,
        "jclouds.provider": "filesystem-nio2",
        **dict.fromkeys(("jclouds.identity", "jclouds.credential"), "unused"),
        "jclouds.filesystem.basedir": folder / "kept",
    }
    written = "".join(f"{name}={value}\n" for name, value in settings.items())
    (folder / "s3proxy.conf").write_text(written, encoding="utf-8")
    (folder / "quiet.xml").write_text(_QUIET, encoding="utf-8")
    command = [
        *("java", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-Dlogback.configurationFile=quiet.xml"),
        *("-cp", f"{jars[0].parent}/*", "org.gaul.s3proxy.Main", "--properties", "s3proxy.conf"),
    ]
    store = S3Proxy(folder, port, command)
    with store.stack:
        try:
            store.start()
            yield store
        finally:
            store.stack.close()
            shutil.rmtree(folder, ignore_errors=True)
