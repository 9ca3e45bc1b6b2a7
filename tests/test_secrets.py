"""antelog/secrets.py: passwords are known by their names, taken out of addresses, and shown nowhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from py4j.protocol import Py4JError

from antelog import secrets
from antelog.cli.arguments.ready import RUN
from antelog.errors import UnsupportedError
from antelog.run.address import Jdbc
from antelog.run.options import options_of
from antelog.run.settings import Settings
from antelog.run.sources.kafka import Kafka
from antelog.run.values import SettingError
from antelog.secrets import blanked, redacted, shows_secret
from antelog.spark.endpoints.endpoints import SINKS, SOURCES, properties_of
from antelog.spark.failures import plain
from antelog.spark.pipeline.configuration import settings_of
from antelog.spark.pipeline.session import properties
from tests.cli.trying import antelog, diagnostics

JAAS = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="me" password="hunter2";'
HARD = "h=u&n/t;e:r# {2}%20+'\"\\ü"
"""A password with everything that means something somewhere."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HARD", HARD)
    monkeypatch.setenv("HOST", "db.example")
    monkeypatch.setenv("WHOLE", "jdbc:postgresql://db/plant?user=me&password=hunter2")
    Path("p.alog").write_text("input P(x, time). A(X, T) :- P(X, T). query A(X, T).", encoding="utf-8")
    Path("p.csv").write_text("x,time\na,1\n", encoding="utf-8")
    yield tmp_path
    secrets.forget()


# ---- what is a secret ----


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("jdbc:postgresql://db/x?user=me&password=hunter2&ssl=true", "user=me&password=***&ssl=true"),
        ("jdbc:sqlserver://db;user=me;password=hunter2;encrypt=true", ";password=***;encrypt=true"),
        ("jdbc:mysql://me:hunter2@db/x", "jdbc:mysql://me:***@db/x"),
        ("jdbc:oracle:thin:me/hunter2@//db/x", "jdbc:oracle:thin:me/***@//db/x"),
        ("kafka://h/t?kafka.ssl.keystore.password=hunter2#x", "kafka.ssl.keystore.password=***#x"),
        (f"kafka.sasl.jaas.config={JAAS}", "kafka.sasl.jaas.config=***"),
        (f"jaas has {JAAS}", 'username="me" password="***";'),
        ("Map(driver -> x, password -> hunter2, user -> me)", "password -> ***"),
        ('{"clientSecret": "hunter2", "id": 3}', '{"clientSecret": "***", "id": 3}'),
        ("spark.hadoop.fs.s3a.access.key=hunter2", "fs.s3a.access.key=***"),
        ("fs.azure.account.key.me.dfs.core.windows.net=hunter2", "windows.net=***"),
        ("sc://host;token=hunter2", "sc://host;token=***"),
        ("PASSWORD = hunter2", "PASSWORD = ***"),
        ("https://me:hunter2@repo/maven", "https://me:***@repo/maven"),
    ],
)
def test_what_is_redacted(text: str, left: str) -> None:
    assert left in redacted(text)
    assert "hunter2" not in redacted(text)
    assert shows_secret(text)
    assert len(blanked(text)) == len(text)
    assert "hunter2" not in blanked(text)


@pytest.mark.parametrize(
    "text",
    [
        "readings/*.csv",
        "kafka://a:9092,b:9092/t?format=csv&kafka.security.protocol=SSL",
        "jdbc:postgresql://localhost:5432/plant?user=me#readings",
        "jdbc:postgresql://db/x?user=me&password=${PLANT_PASSWORD}#t",
        "jdbc:mysql://me:${PLANT_PASSWORD}@db/x",
        'FATAL: password authentication failed for user "me"',
        "the password is missing: give one",
        "Temp=readings.csv and keys=10",
    ],
)
def test_what_is_left_alone(text: str) -> None:
    assert redacted(text) == blanked(text) == text
    assert not shows_secret(text)


def test_what_was_given_is_known_without_its_name() -> None:
    secrets.remember("kafka.sasl.jaas.config", JAAS)
    secrets.remember("password", HARD)
    secrets.remember("user", "somebody")
    secrets.remember("password", "abc")
    assert redacted("no hunter2, h%3Du%26n%2Ft%3Be%3Ar%23%20%7B2%7D%2520%2B%27%22%5C%C3%BC for somebody") == (
        "no ***, *** for somebody"
    )
    assert redacted(f"<{HARD}>") == "<***>"
    assert redacted("abc") == "abc"  # so short a text is in many words


# ---- addresses ----


@pytest.mark.parametrize(
    ("text", "url", "options"),
    [
        ("jdbc:h2:mem", "jdbc:h2:mem", {}),
        ("jdbc:postgresql://db/x?user=me&password=a%26b+c&ssl=true", "jdbc:postgresql://db/x?ssl=true",
         {"user": "me", "password": "a&b+c"}),
        ("jdbc:postgresql://${HOST}/x?user=me&password=${HARD}", "jdbc:postgresql://db.example/x",
         {"user": "me", "password": HARD}),
        ("jdbc:mysql://me:a%2Fb@db/x?sslMode=off", "jdbc:mysql://db/x?sslMode=off",
         {"user": "me", "password": "a/b"}),
        ("jdbc:mariadb://me:${HARD}@db/x", "jdbc:mariadb://db/x", {"user": "me", "password": HARD}),
        ("jdbc:oracle:thin:me/${HARD}@//db/x", "jdbc:oracle:thin:@//db/x", {"user": "me", "password": HARD}),
        ("jdbc:sqlserver://db;user=me;password={a;b};encrypt=true", "jdbc:sqlserver://db;encrypt=true",
         {"user": "me", "password": "a;b"}),
        ("jdbc:h2:mem:x;USER=sa;PASSWORD=${HARD};MODE=Oracle", "jdbc:h2:mem:x;MODE=Oracle",
         {"USER": "sa", "PASSWORD": HARD}),
        ("jdbc:postgresql://db/x?sslpassword=p&sslmode=require", "jdbc:postgresql://db/x?sslmode=require",
         {"sslpassword": "p"}),
        ("${WHOLE}", "jdbc:postgresql://db/plant", {"user": "me", "password": "hunter2"}),
    ],
)  # fmt: skip
def test_no_password_is_in_the_address_of_a_database(text: str, url: str, options: dict[str, str]) -> None:
    found = SINKS.read(f"{text}#t")
    assert found == Jdbc(url, "t", tuple(options.items()))
    assert isinstance(found, Jdbc)
    assert options.items() <= properties_of(found).items()
    for value in (value for name, value in options.items() if name.lower() != "user"):
        assert value not in repr([found]) or len(value) < 2
    assert url.partition("?")[0].partition(";")[0] in str(found)


def test_options_of_topics() -> None:
    found = SOURCES.read("kafka://${HOST}/t?kafka.sasl.jaas.config=${HARD}&format=csv")
    assert found == Kafka("db.example:9092", "t", "csv", options=(("kafka.sasl.jaas.config", HARD),))
    assert repr([found]) == "[kafka://db.example:9092/t]"
    assert redacted(f"cannot parse {HARD}") == "cannot parse ***"


def test_settings_of_spark() -> None:
    (conf,) = (each for each in options_of(Settings) if each.name == "conf")
    assert conf.read("spark.x.password=${HARD}", RUN) == ("spark.x.password", HARD)
    assert redacted(f"cannot parse {HARD}") == "cannot parse ***"
    with pytest.raises(SettingError, match=r"the environment has no variable HRAD\. Did you mean HARD"):
        conf.read("spark.x.password=${HRAD}", RUN)


def test_settings_reach_java_by_a_file() -> None:
    """Java reads what was written: an escape is undone character by character."""
    line = properties({"a.password": HARD})
    assert line.isascii()
    name, value = line.rstrip("\n").split("=", 1)
    assert name == "a.password"
    assert value == r"h\=u&n/t;e\:r\#\ {2}%20+'" + '"' + r"\\\u00fc"
    assert properties({"k": "a\nb"}) == "k=a\\u000ab\n"


# ---- what is said ----

IN = ("--input", "P=p.csv")
URL = "jdbc:postgresql://db/x?user=me&password=hunter2"


@pytest.mark.parametrize(
    "arguments",
    [
        ["p.alog", *IN, "--output", URL],
        ["p.alog", *IN, "--output", "${WHOLE}"],
        ["p.alog", *IN, "--output", "console", "--output", f"{URL}#t", "--output", f"{URL}#t"],
        ["p.alog", *IN, "--output", "console", f"{URL}#t"],
        ["p.alog", "--input", f"{URL}#t", "--output", "console"],
        ["p.alog", "--input", f"P={URL}#t", "--stream", "--output", "console"],
        ["p.alog", "--input", "P=kafka://h/t?formt=csv&kafka.ssl.key.password=hunter2", "--output", "x"],
        ["p.alog", "--input", f"P=kafka://h/?kafka.sasl.jaas.config={JAAS}", "--output", "console"],
        ["p.alog", "--input", "P=jdbd:x?password=hunter2", "--output", "console"],
        ["p.alog", *IN, "--output", "console", "--conf", "spark.x.password hunter2=", "--conf", "=hunter2"],
        ["p.alog", *IN, "--output", "console", "--master", "sc://h;token=hunter2"],
        ["p.alog", *IN, "--output", "console", "--conf", "spark.x.password=hunter2", "--trigger", "hunter2"],
    ],
)
def test_complaints_on_the_command_line(arguments: list[str]) -> None:
    found = antelog("run", *arguments)
    assert found.exit_code in (1, 2)
    assert "rror" in found.stderr
    assert "=hunter2" not in found.output.replace("`=hunter2`", "")
    assert '"hunter2' not in found.output


@pytest.mark.parametrize(
    "line",
    [
        f"output = '{URL}'",
        f"output = ['{URL}#t', '{URL}#t']",
        f"output = 'console'\nrejects = '{URL}#t'\nstream = true",
        "output = '${WHOLE}'",
        "output = 'console'\nconf = { \"spark.x.password\" = 'hunter2', \"spark.y\" = [1] }",
        "output = 'jdbc:h2:mem;password=hunter2#t' 3",
    ],
)
def test_complaints_about_a_file(line: str) -> None:
    text = f"program = 'p.alog'\ninput.P = 'p.csv'\n{line}\n"
    Path("p.toml").write_text(text, encoding="utf-8")
    found = antelog("run", "--config", "p.toml")
    assert (found.exit_code, "error E70" in found.stderr) == (1, True), found.stderr
    assert "hunter2" not in found.output
    assert all("hunter2" not in str(each) for each in diagnostics(text))


def test_a_password_on_the_command_line_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    from antelog.cli.commands import run  # noqa: PLC0415 - the module, not the command

    started: list[Settings] = []
    monkeypatch.setattr(run, "run_pipeline", lambda _, settings, _page: started.append(settings))
    shown = antelog("run", "p.alog", *IN, "--output", f"{URL}#t")
    assert "warning: everyone who may list the processes of this machine can read the pass" in shown.stderr
    hidden = antelog("run", "p.alog", *IN, "--output", "jdbc:postgresql://db/x?user=me&password=${HARD}#t")
    assert (hidden.exit_code, hidden.stderr) == (0, "")
    assert [dict(each.outputs[0].options)["password"] for each in started] == ["hunter2", HARD]  # type: ignore[union-attr]


def test_failures_of_java() -> None:
    secrets.remember("password", "hunter2")
    said = f"org.postgresql.util.PSQLException: {'x' * 590} refused {URL} for hunter2 of me\n\tat org.x(y)"
    assert "hunter2" not in plain(Py4JError(said))
    traced = "Traceback (most recent call last):\n  File x\nValueError: hunter2 is no key, password=hunter2\n"
    assert plain(Py4JError(traced)) == "*** is no key, password=***"
    assert "hun" not in plain(Py4JError(f"{'x' * 597} hunter2"))  # also where it is cut short


def test_spark_connect_has_tokens() -> None:
    with pytest.raises(UnsupportedError, match=r"is sc://h;token=\*\*\*, which asks"):
        settings_of([], buckets=1, conf={"spark.remote": "sc://h;token=hunter2"})


@pytest.mark.parametrize("part", ["x", "token", "token=", "a.token-", "//a:", '"token"'])
def test_a_long_text_takes_no_longer_than_reading_it(part: str) -> None:
    begun = time.process_time()
    secrets.redacted(part * 20_000)
    assert time.process_time() - begun < 5
