"""Send made-up readings of five turbines to a topic of Kafka, one of each every five seconds.

    {"device": "wt2", "level": "high", "time": "2026-01-01T00:00:05+00:00"}

In comes nothing; out go messages like that, some of them five seconds late, so that the containers of
compose.yaml have something to watch.
"""

import json
import os
import random
import time
from datetime import UTC, datetime

from confluent_kafka import Producer

TICK = 5
DEVICES = ("wt1", "wt2", "wt3", "wt4", "wt5")


def readings(tick: int, hot: set[str], chances: random.Random) -> list[bytes]:
    """One reading of each device, as JSON. `hot` has those that were hot last, and is kept up to date."""
    found = []
    for device in DEVICES:
        is_hot = chances.random() < (0.7 if device in hot else 0.1)
        (hot.add if is_hot else hot.discard)(device)
        moment = datetime.fromtimestamp(tick * TICK, UTC)
        row = {"device": device, "level": "high" if is_hot else "low", "time": moment.isoformat()}
        found.append(json.dumps(row).encode())
    return found


def main() -> None:
    """Send until somebody stops it. The clock says the tick, so a restart repeats nothing."""
    producer = Producer({"bootstrap.servers": os.environ["KAFKA"]})
    chances = random.Random()
    hot: set[str] = set()
    late: list[bytes] = []
    while True:
        tick = int(time.time()) // TICK
        rows = readings(tick, hot, chances)
        held = [row for row in rows if chances.random() < 0.1]
        for row in (*late, *(row for row in rows if row not in held)):
            producer.produce(os.environ["TOPIC"], row)
        late = held
        producer.flush()
        time.sleep((tick + 1) * TICK - time.time())


if __name__ == "__main__":
    main()
