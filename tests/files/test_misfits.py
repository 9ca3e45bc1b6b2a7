"""antelog/files/columns.py: what a file has, and the `--map` that can be pasted as it is."""

import pytest

from antelog.files.columns import arrivals_of, has, no_columns

TEMP = ("device", "temp", "time")


@pytest.mark.parametrize(
    ("names", "missing", "maps"),
    [
        (["sensor_id", "temp", "time"], ["device"], "--map Temp.device=sensor_id"),
        (["received_at", "temperature", "device"], ["temp", "time"], "temp=temperature --map Temp.time=rec"),
        (["device", "Sensor Temp", "time"], ["temp"], "--map 'Temp.temp=Sensor Temp'"),
        (["device", "time"], ["temp"], "--map Temp.temp=COLUMN, where COLUMN is to be one of these"),
        (["S.Device.ID", "temp", "time"], ["device"], "--map Temp.device=S.Device.ID"),
        (["seen_utc", "dev", "event_utc", "x", "y"], ["device", "time"], "=dev --map Temp.time=event_utc"),
        (["at", "battery", "dvc", "tp"], ["temp", "device", "time"], "=COLUMN --map Temp.device=dvc --map"),
        (["received", "time_ms", "temp"], ["device", "time"], "device=COLUMN --map Temp.time=time_ms, where"),
    ],
)
def test_the_likeliest_columns_are_in_the_remedy(names: list[str], missing: list[str], maps: str) -> None:
    said = no_columns("Temp", TEMP, missing, names, ())
    assert f"{', '.join(missing)} for Temp(device, temp, time); it has {', '.join(names)}. Say" in said
    assert maps in said


def test_fields_within_fields_are_shown_and_suggested() -> None:
    inner = ["ids.device_id", "decoded.payload.temp", "decoded.payload", "ids.device_id"]
    said = no_columns("Temp", TEMP, ["device", "temp"], ["ids", "decoded", "time"], iter(inner))
    assert "it has time, ids.device_id, decoded.payload.temp. Say which columns they are" in said
    assert said.endswith("--map Temp.device=ids.device_id --map Temp.temp=decoded.payload.temp")


def test_of_many_names_some_are_shown() -> None:
    assert has([f"n{i}" for i in range(21)]) == ", ".join(f"n{i}" for i in range(20)) + ", …"


def test_a_column_of_arrivals_is_told_by_its_name() -> None:
    assert arrivals_of(["sent", "received_at"], ()) == "received_at"
    assert arrivals_of(["meta"], ["meta.S.received.ms"]) == "meta.S.received.ms"
    assert arrivals_of(["sent", "unseen", "departure"], ()) is None
