"""Tests of rules: `NAME.test.yaml` beside `NAME.alog`.

finding    the files of tests in a folder
marked     YAML in which every scalar is a text with its place
texts      facts, answers and literals as texts, read by the parser of the language
cases      facts that come, and expectations
suite      reads a file: its program and its cases
expecting  reads expectations
replaying  a case through the engine
judging    expected and found, side by side
coverage   the parts of rules that no case confirms, denies or misses
results    the results of cases, files and runs
"""
