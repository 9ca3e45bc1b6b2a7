"""Tests of rules: `NAME.test.yaml` beside `NAME.alog`.

marked     YAML in which every scalar is a text with its place
texts      facts, answers and literals as texts, read by the parser of the language
cases      facts that come, and expectations
suite      reads a file: its program and its cases
replaying  a case through the engine
judging    expected and found, side by side
recording  writes what comes out into the file
coverage   the parts of rules that no case confirms, denies or misses
results    the results of cases, files and runs
"""
