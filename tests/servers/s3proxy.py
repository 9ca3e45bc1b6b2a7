"""S3Proxy of Maven's archives, a server that speaks S3; its objects are in a folder, so it outlives kills."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import s3fs

from tests.processes import Process, kill_with_children, started, until
from tests.servers import fetched, free_port

USER, PASSWORD, BUCKET = "reader-of-plant", "hunter2-of-the-store", "plant"
_SETTINGS = f"""\
s3proxy.endpoint=http://127.0.0.1:{{port}}
s3proxy.authorization=aws-v2-or-v4
s3proxy.identity={USER}
s3proxy.credential={PASSWORD}
jclouds.provider=filesystem-nio2
jclouds.filesystem.basedir={{folder}}/kept
jclouds.identity=unused
jclouds.credential=unused
"""


@dataclass
class S3Proxy:
    """A store with one bucket, which can be killed and started again."""

    folder: Path
    port: int
    command: list[str]
    stack: ExitStack = field(default_factory=ExitStack)
    process: Process | None = None

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs to read it."""
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_ACCESS_KEY_ID": USER,
            "AWS_SECRET_ACCESS_KEY": PASSWORD,
            "AWS_DEFAULT_REGION": "us-east-1",
            # It does not know the headers of newer checksums.
            "AWS_RESPONSE_CHECKSUM_VALIDATION": "when_required",
            "AWS_REQUEST_CHECKSUM_CALCULATION": "when_required",
        }

    def put(self, name: str, data: str | bytes) -> None:
        """Writes an object of the bucket; the environment has to be that of the server."""
        files = s3fs.S3FileSystem(use_listings_cache=False, endpoint_url=self.environment["AWS_ENDPOINT_URL"])
        files.pipe_file(f"{BUCKET}/{name}", data.encode() if isinstance(data, str) else data)

    def start(self) -> None:
        log = self.folder / "log"
        with log.open("ab") as said:
            process = started(self.command, cwd=self.folder, stdout=said, stderr=said)
            self.process = self.stack.enter_context(process)
        until(self._answers, self.process, lambda: log.read_text(errors="replace")[-800:])

    def stop(self) -> None:
        assert self.process is not None
        kill_with_children(self.process)

    def _answers(self) -> bool:
        with socket.socket() as asking:
            return asking.connect_ex(("127.0.0.1", self.port)) == 0


@contextmanager
def s3proxy() -> Iterator[S3Proxy]:
    """A store of one's own. Raises UnavailableError."""
    jars = fetched("s3proxy", ["org.gaul:s3proxy:2.7.0"])
    with tempfile.TemporaryDirectory(prefix="antelog-s3proxy-") as name, ExitStack() as stack:
        folder, port = Path(name), free_port()
        (folder / "kept" / BUCKET).mkdir(parents=True)
        (folder / "conf").write_text(_SETTINGS.format(port=port, folder=folder), encoding="utf-8")
        (folder / "quiet.xml").write_text("<configuration/>", encoding="utf-8")
        command = [
            *("java", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-Dlogback.configurationFile=quiet.xml"),
            *("-cp", f"{jars[0].parent}/*", "org.gaul.s3proxy.Main", "--properties", "conf"),
        ]
        store = S3Proxy(folder, port, command, stack)
        store.start()
        yield store
